// The runtime against libtorch: the same weights, the same sentences.
#include <gtest/gtest.h>

#include <algorithm>

#include "../model/small_models.h"
#include "models.h"
#include "reference_codes.h"
#include "reference_search.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"
#include "training/update/batches.h"

namespace eatt {

inline void PrintTo(const testing::Mix& mix, std::ostream* out) { *out << mix.name(); }

namespace {

using namespace testing;

constexpr size_t kSentences = 1000;
constexpr size_t kLongest = 14;

std::vector<std::vector<int32_t>> best_pieces(const Model& model,
                                              const std::vector<std::vector<int32_t>>& sources) {
  TransformerSteps steps(model);
  std::vector<std::vector<int32_t>> found;
  std::vector<SearchTask> tasks;
  for (const auto& source : sources) tasks.push_back({.source = source});
  for (size_t first = 0; first < tasks.size(); first += 50) {
    const auto batch = std::span(tasks).subspan(first, std::min<size_t>(50, tasks.size() - first));
    for (auto& hypotheses : search(steps, batch, {})) found.push_back(hypotheses.front().pieces);
  }
  return found;
}

// Logits of a given translation, position by position: [target + 1, vocab].
torch::Tensor torch_logits(Transformer& model, const PiecePair& pair, ModelTrace* trace) {
  const torch::NoGradGuard no_grad;
  const TrainingBatch batch = make_batch(std::span(&pair, 1));
  return model->logits(model->decode(model->encode(batch.source, trace), batch.target, trace))[0];
}

double largest_difference(const Model& model, const PiecePair& pair, const torch::Tensor& expected,
                          ReferenceCodes* codes) {
  TransformerSteps steps(model, {.observer = codes});
  steps.start(std::span(&pair.source, 1));
  double largest = 0;
  for (size_t i = 0; i <= pair.target.size(); ++i) {
    const StepRow row{.sentence = 0,
                      .parent = i == 0 ? -1 : 0,
                      .piece = i == 0 ? kStartPiece : pair.target[i - 1]};
    const StepScores scores = steps.step(std::span(&row, 1));
    const auto found =
        torch::from_blob(const_cast<float*>(scores.logits), {static_cast<int64_t>(scores.columns)});
    const double difference =
        (found - expected[static_cast<int64_t>(i)]).abs().max().item<double>();
    largest = std::max(largest, difference);
    if (codes != nullptr) codes->next_step();
  }
  return largest;
}

class EachMix : public ::testing::TestWithParam<Mix> {
 protected:
  Twins twins_ = make_twins(mixed_architecture(GetParam()), 7);
  std::vector<std::vector<int32_t>> sources_ = random_sources(kSentences, kLongest, 70, 11);
};

std::vector<Mix> all_mixes() {
  std::vector<Mix> mixes;
  for (const Mechanism self :
       {Mechanism::vanilla, Mechanism::dense, Mechanism::randinit, Mechanism::eatt}) {
    for (const Mechanism cross :
         {Mechanism::vanilla, Mechanism::dense, Mechanism::randinit, Mechanism::eatt}) {
      mixes.push_back({self, cross});
    }
  }
  // Any other mechanism in all places.
  for (const Mechanism mechanism : all_mechanisms()) {
    if (std::ranges::find(mixes, mechanism, &Mix::self) == mixes.end()) {
      mixes.push_back({mechanism, mechanism});
    }
  }
  return mixes;
}

std::vector<Mix> binary_mixes() {
  std::vector<Mix> mixes = all_mixes();
  std::erase_if(mixes, [](const Mix& mix) { return !mix.binarises(); });
  return mixes;
}

class EachBinaryMix : public EachMix {};

INSTANTIATE_TEST_SUITE_P(Parity, EachMix, ::testing::ValuesIn(all_mixes()),
                         [](const auto& one) { return one.param.name(); });
INSTANTIATE_TEST_SUITE_P(Parity, EachBinaryMix, ::testing::ValuesIn(binary_mixes()),
                         [](const auto& one) { return one.param.name(); });

TEST_P(EachMix, LogitsAreThoseOfLibtorch) {
  const auto targets = random_sources(kSentences, kLongest, 90, 12);
  const bool has_codes = GetParam().binarises();
  double largest = 0;
  for (size_t i = 0; i < 100; ++i) {
    const PiecePair pair{sources_[i], targets[i]};
    ModelTrace trace;
    const auto expected = torch_logits(twins_.torch, pair, &trace);
    ReferenceCodes codes(trace, ReferenceCodes::Use::feed);
    largest = std::max(largest, largest_difference(twins_.runtime.model(), pair, expected,
                                                   has_codes ? &codes : nullptr));
  }
  EXPECT_LE(largest, 1e-4);
}

TEST_P(EachMix, GreedyTranslationsAreThoseOfLibtorch) {
  const auto expected = greedy_search(twins_.torch, sources_);
  const auto found = best_pieces(twins_.runtime.model(), sources_);
  size_t equal = 0;
  for (size_t i = 0; i < sources_.size(); ++i) equal += found[i] == expected[i].pieces;
  EXPECT_GE(equal, GetParam().binarises() ? 990u : sources_.size());
}

TEST_P(EachBinaryMix, CodesDifferFirstWhereTheyAreNearTheThreshold) {
  const auto targets = random_sources(kSentences, kLongest, 90, 12);
  for (size_t i = 0; i < 200; ++i) {
    const PiecePair pair{sources_[i], targets[i]};
    ModelTrace trace;
    torch_logits(twins_.torch, pair, &trace);
    ReferenceCodes codes(trace, ReferenceCodes::Use::compare);
    codes.set_threshold(twins_.torch->architecture().threshold.value);
    largest_difference(twins_.runtime.model(), pair, torch::zeros({100, 90}), &codes);
    EXPECT_LE(codes.first_difference().value_or(0), 1e-5) << "sentence " << i;
  }
}

// What the mixes leave out.
TEST(Parity, LearnedScalesAndThresholdsPostNormAndSharedEmbeddingsAgree) {
  Architecture a = mixed_architecture({Mechanism::eatt, Mechanism::selection});
  a.norm = NormPlacement::post;
  a.threshold.learned = true;
  a.encoder_self.scale = {.kind = ScaleKind::learned, .divisor = 2};
  a.decoder_self.scale = {.kind = ScaleKind::fixed, .divisor = 3};
  a.cross.scale = {.kind = ScaleKind::learned, .divisor = 1.5};
  a.source_vocab = a.target_vocab;
  a.embeddings = EmbeddingSharing::all;
  Twins twins = make_twins(a, 3);
  const PiecePair pair{{4, 50, 6, 7, 8, 9, 61}, {5, 4, 80, 21}};
  ModelTrace trace;
  const auto expected = torch_logits(twins.torch, pair, &trace);
  ReferenceCodes codes(trace, ReferenceCodes::Use::feed);
  EXPECT_LE(largest_difference(twins.runtime.model(), pair, expected, &codes), 1e-4);
}

// Signed codes of every number of levels, fixed and learned thresholds.
class EachCodeLevel : public ::testing::TestWithParam<size_t> {
 protected:
  Architecture architecture() const {
    Architecture a = mixed_architecture({Mechanism::eatt, Mechanism::selection});
    a.code_levels = GetParam();
    a.threshold = {.learned = GetParam() % 2 == 0, .value = 0.4};
    return a;
  }
};
INSTANTIATE_TEST_SUITE_P(Parity, EachCodeLevel, ::testing::Values(1, 2, 3, 6));

TEST_P(EachCodeLevel, LogitsAreThoseOfLibtorch) {
  Twins twins = make_twins(architecture(), 5);
  const auto sources = random_sources(50, kLongest, 70, 11);
  const auto targets = random_sources(50, kLongest, 90, 12);
  double largest = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const PiecePair pair{sources[i], targets[i]};
    ModelTrace trace;
    const auto expected = torch_logits(twins.torch, pair, &trace);
    ReferenceCodes codes(trace, ReferenceCodes::Use::feed);
    largest = std::max(largest, largest_difference(twins.runtime.model(), pair, expected, &codes));
  }
  EXPECT_LE(largest, 1e-4);
}

TEST_P(EachCodeLevel, GreedyTranslationsAreThoseOfLibtorch) {
  Twins twins = make_twins(architecture(), 5);
  const auto sources = random_sources(300, kLongest, 70, 11);
  const auto expected = greedy_search(twins.torch, sources);
  const auto found = best_pieces(twins.runtime.model(), sources);
  size_t equal = 0;
  for (size_t i = 0; i < sources.size(); ++i) equal += found[i] == expected[i].pieces;
  EXPECT_GE(equal, 297u);
}

}  // namespace
}  // namespace eatt
