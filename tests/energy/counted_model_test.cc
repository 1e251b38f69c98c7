// Translations of small models by the instrumented scalar model.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "energy/counted_translation.h"
#include "energy/ledger.h"
#include "runtime/layers/model.h"
#include "runtime/random_shortlist.h"
#include "support/files.h"
#include "support/random_sources.h"
#include "support/tiny_bundle.h"

namespace eatt::energy::testing {
namespace {

using eatt::testing::random_shortlist;
using eatt::testing::random_sources;
using eatt::testing::TemporaryFolder;
using eatt::testing::write_random_bundle;

// Widths that differ from each other, so that none can be taken for another.
Architecture odd_architecture(Mechanism mechanism) {
  Architecture a;
  a.model_dim = 14;
  a.heads = 2;
  a.ffn_dim = 18;
  a.attention_dim = 10;
  a.qk_dim = 6;
  a.max_length = 16;
  a.source_vocab = 27;
  a.target_vocab = 31;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross})
    attention->layers.assign(2, mechanism);
  a.threshold.value = 0.7;
  return a;
}

constexpr SearchOptions kGreedy = {.max_length_factor = 1, .max_length_extra = 2};
constexpr SearchOptions kBeam = {.beam_size = 4,
                                 .n_best = 3,
                                 .length_penalty = 0.6,
                                 .max_length_factor = 1,
                                 .max_length_extra = 4};

// Seeds of weights.
constexpr uint64_t kSomeEnd = 8;  // Some hypotheses end, others are cut.
constexpr uint64_t kAllEnd = 2;

std::vector<SearchTask> tasks_of(size_t sentences) {
  std::vector<SearchTask> tasks;
  for (auto& source : random_sources(sentences, 6, 27, 5)) tasks.push_back({.source = source});
  return tasks;
}

// Sums are in another order; in int8 that may round a number to its neighbour (1 in 127).
float tolerance_of(Precision precision) { return precision == Precision::float32 ? 1e-4f : 2e-2f; }

void expect_same_results(const CountedTranslation& counted, const RecordedRun& run) {
  ASSERT_EQ(counted.results.size(), run.results.size());
  for (size_t i = 0; i < run.results.size(); ++i) {
    ASSERT_EQ(counted.results[i].size(), run.results[i].size());
    for (size_t rank = 0; rank < run.results[i].size(); ++rank) {
      CountedHypothesis ours = counted.results[i][rank];
      const SearchHypothesis& theirs = run.results[i][rank];
      if (ours.finished) ours.pieces.pop_back();
      EXPECT_EQ(ours.pieces, theirs.pieces);
      EXPECT_EQ(ours.finished, theirs.finished);
      EXPECT_NEAR(ours.path.value, theirs.score, 1e-4);  // The runtime's log Σ exp are floats.
    }
  }
}

// What is translated, in one batch, and how.
struct Setting {
  Architecture architecture;
  Precision precision = Precision::float32;
  std::vector<SearchTask> tasks;
  SearchOptions options;
  StepModelOptions steps = {};
  uint64_t seed = kSomeEnd;
};

// By the runtime, and by counted numbers: the same numbers and decisions, and the same operations
// and bytes in every line of the ledger.
struct Translated {
  explicit Translated(Setting s)
      : bundle(Bundle::open(write_random_bundle(folder / "bundle", s.architecture, s.seed))) {
    const Model model = load_model(Bundle::open(folder / "bundle"), s.precision);
    run = record_run(model, s.tasks, s.options, s.steps);
    counted = counted_translation(bundle, s.precision, run);
    EXPECT_LE(counted.largest_difference, tolerance_of(s.precision));
    expect_same_results(counted, run);
    const Ledger claimed = count_operations(s.architecture, s.precision, run.activity);
    EXPECT_EQ(differences(counted.ledger, claimed), "");
  }

  const TemporaryFolder folder;
  const Bundle bundle;
  RecordedRun run;
  CountedTranslation counted;
};

using Case = std::tuple<Mechanism, Precision, bool>;  // The last: a beam.

std::string name_of_case(const ::testing::TestParamInfo<Case>& one) {
  const auto& [mechanism, precision, beam] = one.param;
  return std::string(mechanism_name(mechanism)) + "_" + std::string(precision_name(precision)) +
         (beam ? "_beam" : "_greedy");
}

class EveryMechanism : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    CountedModel, EveryMechanism,
    ::testing::Combine(::testing::Values(Mechanism::vanilla, Mechanism::eatt, Mechanism::selection,
                                         Mechanism::l1, Mechanism::dense, Mechanism::randinit),
                       ::testing::Values(Precision::float32, Precision::int8), ::testing::Bool()),
    name_of_case);

TEST_P(EveryMechanism, ComputesWhatTheRuntimeDoesAndTakesWhatTheLedgerSays) {
  const auto& [mechanism, precision, beam] = GetParam();
  const Architecture a = odd_architecture(mechanism);
  Translated({a, precision, tasks_of(1), beam ? kBeam : kGreedy});
  Translated({a, precision, tasks_of(3), beam ? kBeam : kGreedy});
  Translated({a, precision, tasks_of(3), beam ? kBeam : kGreedy, {}, kAllEnd});
}

class EveryPrecision : public ::testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(CountedModel, EveryPrecision,
                         ::testing::Values(Precision::float32, Precision::int8),
                         [](const auto& one) { return std::string(precision_name(one.param)); });

TEST_P(EveryPrecision, MixedMechanismsPostNormAndLearnedNumbersAreComputed) {
  Architecture a = odd_architecture(Mechanism::eatt);
  a.encoder_self.layers = {Mechanism::selection, Mechanism::dense};
  a.decoder_self.layers = {Mechanism::randinit, Mechanism::eatt};
  a.cross.layers = {Mechanism::l1, Mechanism::selection};
  a.encoder_self.scale = {.kind = ScaleKind::learned, .divisor = 2};
  a.decoder_self.scale = {.kind = ScaleKind::fixed, .divisor = 3};
  a.cross.scale = {.kind = ScaleKind::folded};
  a.threshold.learned = true;
  a.norm = NormPlacement::post;
  a.embeddings = EmbeddingSharing::target;
  Translated({a, GetParam(), tasks_of(3), kBeam});
  a.source_vocab = a.target_vocab;
  a.embeddings = EmbeddingSharing::all;
  Translated({a, GetParam(), tasks_of(2), kGreedy});
}

TEST_P(EveryPrecision, SignedCodesAreComputed) {
  constexpr size_t kBits[] = {1, 2, 3, 3, 4, 4, 4};  // Of 2·levels + 1 values.
  for (const size_t levels : {1, 2, 3, 6}) {
    Code::bits = kBits[levels];
    Architecture a = odd_architecture(Mechanism::eatt);
    a.code_levels = levels;
    a.threshold.value = 0.3;
    Translated({a, GetParam(), tasks_of(2), kBeam});
    a.decoder_self.layers = {Mechanism::selection, Mechanism::vanilla};
    a.cross.layers = {Mechanism::selection, Mechanism::eatt};
    a.threshold.learned = true;
    Translated({a, GetParam(), tasks_of(3), kGreedy});
  }
  Code::bits = 1;
}

TEST_P(EveryPrecision, ShortlistsAndPrefixesAreComputed) {
  const Shortlist shortlist = random_shortlist(27, 31, 4);
  std::vector<SearchTask> tasks = tasks_of(3);
  tasks[1].prefix = {9, 8};
  SearchOptions options = kBeam;
  options.length_penalty = 0;
  options.word_penalty = 0.25;
  options.min_length = 2;
  options.allow_unknown = true;
  Translated({odd_architecture(Mechanism::vanilla),
              GetParam(),
              tasks,
              options,
              {.shortlist = &shortlist}});
}

TEST(CountedModel, SeedsOfTheseTestsLetHypothesesEndAndBeCut) {
  const auto finished = [](uint64_t seed) {
    const Translated done(
        {odd_architecture(Mechanism::eatt), Precision::float32, tasks_of(3), kBeam, {}, seed});
    std::multiset<bool> all;
    for (const auto& results : done.counted.results) {
      for (const CountedHypothesis& result : results) all.insert(result.finished);
    }
    return all;
  };
  EXPECT_TRUE(finished(kSomeEnd).contains(true) && finished(kSomeEnd).contains(false));
  EXPECT_EQ(finished(kAllEnd).count(true), 9u);
}

// ---- a ledger by hand --------------------------------------------------------------------------

// Greedy search of one sentence of 3 positions, d = 14, q = 6, v = 10, h = 2, f = 18.
class Counts : public ::testing::Test {
 protected:
  static Translated translate(Mechanism mechanism, Precision precision) {
    const std::vector<SearchTask> task = {{.source = {7, 9}}};
    const SearchOptions options = {.min_length = 2, .max_length = 2};  // 3 steps of one row.
    return Translated({odd_architecture(mechanism), precision, task, options});
  }
  static uint64_t operations(const Work& work, Operation operation, Number number) {
    return work.operations.at(operation, number);
  }
};

TEST_F(Counts, NormsOfThreeRows) {
  const Translated done = translate(Mechanism::vanilla, Precision::float32);
  const Work norm =
      done.counted.ledger.at({{Stack::encoder, 1, SubLayer::feed_forward}, Duty::norm});
  EXPECT_EQ(operations(norm, Operation::add, Number::fp32), 3u * (4 * 14 + 1));
  EXPECT_EQ(operations(norm, Operation::mul, Number::fp32), 3u * (3 * 14 + 2));
  EXPECT_EQ(operations(norm, Operation::div, Number::fp32), 6u);
  EXPECT_EQ(norm.moved(Data::activations), (Traffic{.read = 4 * 42, .written = 4 * 42}));
  EXPECT_EQ(norm.moved(Data::weights), (Traffic{.read = 4 * 28, .written = 0}));
}

TEST_F(Counts, ProductsOfFloats) {
  const Translated done = translate(Mechanism::vanilla, Precision::float32);
  const Work value =
      done.counted.ledger.at({{Stack::decoder, 2, SubLayer::self_attention}, Duty::value});
  EXPECT_EQ(operations(value, Operation::add, Number::fp32), 3u * 140);  // Three steps.
  EXPECT_EQ(operations(value, Operation::mul, Number::fp32), 3u * 140);
  EXPECT_EQ(value.moved(Data::weights).read, 3u * 4 * (140 + 10));
  EXPECT_EQ(value.moved(Data::activations), (Traffic{.read = 3 * 4 * 14, .written = 0}));
  EXPECT_EQ(value.moved(Data::caches), (Traffic{.read = 0, .written = 3 * 4 * 10}));
}

TEST_F(Counts, ProductsOfBytes) {
  const Translated done = translate(Mechanism::dense, Precision::int8);
  const Work words =
      done.counted.ledger.at({{Stack::decoder, 0, SubLayer::none}, Duty::vocabulary});
  EXPECT_EQ(operations(words, Operation::mul, Number::int8), 3u * 14 * 31);
  EXPECT_EQ(operations(words, Operation::add, Number::int32), 3u * 14 * 31);
  EXPECT_EQ(operations(words, Operation::shift, Number::fp32), 3u * 31);
  EXPECT_EQ(operations(words, Operation::mul, Number::fp32), 3u * (14 + 2 * 31));
  EXPECT_EQ(operations(words, Operation::add, Number::fp32), 0u);  // No bias.
  EXPECT_EQ(operations(words, Operation::compare, Number::fp32), 3u * 14);
  EXPECT_EQ(operations(words, Operation::div, Number::fp32), 3u * 2);
  EXPECT_EQ(words.moved(Data::weights).read, 3u * (14 * 31 + 4 * 31));
  EXPECT_EQ(words.moved(Data::activations),
            (Traffic{.read = 3 * (4 * 14 + 14 + 4), .written = 3 * (14 + 4 + 4 * 31)}));
}

TEST_F(Counts, DistancesOfWholeNumbers) {
  const Translated done = translate(Mechanism::eatt, Precision::int8);
  const Work scores =
      done.counted.ledger.at({{Stack::decoder, 1, SubLayer::self_attention}, Duty::scores});
  const uint64_t pairs = 1 + 2 + 3;
  EXPECT_EQ(operations(scores, Operation::add, Number::int16), pairs * 6);
  EXPECT_EQ(operations(scores, Operation::add, Number::int32), pairs * 6);
  EXPECT_EQ(operations(scores, Operation::shift, Number::fp32), pairs * 2);
  EXPECT_EQ(operations(scores, Operation::mul, Number::fp32), pairs * 2);
  EXPECT_EQ(scores.moved(Data::weights).read, 3u * 4 * 2);
  EXPECT_EQ(scores.moved(Data::caches), (Traffic{.read = pairs * 6 * 2, .written = 0}));
  EXPECT_EQ(scores.moved(Data::activations), (Traffic{.read = 3 * 6 * 2, .written = pairs * 8}));
}

TEST_F(Counts, SelectionsReadOnlyWhatSomeRowSelects) {
  const Translated done = translate(Mechanism::eatt, Precision::float32);
  RecordedCodes codes = done.run.codes;
  const std::vector<int> bits = codes.take(place_of(Role::encoder_self, 2));
  const auto ones = static_cast<uint64_t>(std::count(bits.begin(), bits.end(), true));
  uint64_t distinct = 0;
  for (size_t i = 0; i < 14; ++i) distinct += bits[i] || bits[14 + i] || bits[28 + i] ? 1 : 0;
  ASSERT_GT(ones, distinct);
  const Place place = {Stack::encoder, 2, SubLayer::self_attention};
  Work self = done.counted.ledger.at({place, Duty::query});
  self += done.counted.ledger.at({place, Duty::key});
  EXPECT_EQ(operations(self, Operation::compare, Number::fp32), 3u * 14);
  EXPECT_EQ(operations(self, Operation::add, Number::fp32), 2 * ones * 6);
  EXPECT_EQ(self.moved(Data::weights).read, 4 + 2 * 4 * (distinct * 6 + 6));
  EXPECT_EQ(self.moved(Data::activations),  // Codes of 14 bits are two bytes.
            (Traffic{.read = 3 * (4 * 14 + 2 * 2), .written = 3 * (2 + 2 * 4 * 6)}));
}

TEST_F(Counts, GreedySearch) {
  const Translated done = translate(Mechanism::randinit, Precision::float32);
  const Work search = done.counted.ledger.at({{Stack::decoder, 0, SubLayer::none}, Duty::search});
  // 31 columns, 27 ordinary pieces. The end marker may come at the third step only: there two
  // growths are put in order, 1 + ⌈log₂ 2⌉ comparisons.
  EXPECT_EQ(operations(search, Operation::compare, Number::fp32), 3u * (31 + 26) + 1 + 1);
  EXPECT_EQ(operations(search, Operation::exp, Number::fp32), 3u * (31 + 1));
  EXPECT_EQ(operations(search, Operation::add, Number::fp32), 3u * (31 + 31 + 1 + 2) + 2);
  EXPECT_EQ(search.moved(Data::activations), (Traffic{.read = 3 * 4 * 31, .written = 0}));
}

TEST(LedgerDifferences, NameTheLineAndTheNumber) {
  Ledger counted, claimed;
  Work work;
  work.operations.at(Operation::add, Number::fp32) = 12;
  const LedgerLine line{{Stack::decoder, 2, SubLayer::cross_attention}, Duty::scores};
  counted.add(line, work);
  EXPECT_EQ(differences(counted, counted), "");
  work.operations.at(Operation::add, Number::fp32) = 13;
  work.moved(Data::caches).read = 4;
  claimed.add(line, work);
  EXPECT_EQ(
      differences(counted, claimed),
      "decoder layer 2, cross-attention, scores: add fp32: counted 12, claimed 13\n"
      "decoder layer 2, cross-attention, scores: bytes of caches read: counted 0, claimed 4\n");
}

}  // namespace
}  // namespace eatt::energy::testing
