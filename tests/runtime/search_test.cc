#include "runtime/search/search.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "every_translation.h"
#include "toy_model.h"

namespace eatt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kVocab = 7;    // The markers and three pieces.
constexpr size_t kLongest = 5;  // Pieces of a translation.
constexpr int kWide = 3 * 243;  // Holds every growth of every translation of up to five pieces.
const SearchTask kTask = {.source = {4, 5, 6, 4}};

SearchOptions wide_beam() {
  return {.beam_size = kWide, .n_best = 20, .max_length = kLongest, .max_length_extra = 100};
}

// 1 + 3 + 9 + 27 + 81 + 243 translations, fewer than the beam holds.
void expect_equal_to_enumeration(const SearchOptions& options, const SearchTask& task = kTask) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto logits = random_logits(seed, kVocab);
    ToyModel model(logits, kVocab);
    model.attends = true;
    const auto found = search_one(model, task, options);
    const EveryTranslation every(logits, task, options, kLongest);
    ASSERT_EQ(found.size(), static_cast<size_t>(options.n_best));
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].pieces, every.found()[i].pieces) << seed << " " << i;
      EXPECT_NEAR(found[i].score, every.found()[i].score, 2e-6);  // Log-sums are floats.
      EXPECT_NEAR(found[i].log_probability, every.found()[i].log_probability, 2e-6);
      EXPECT_TRUE(found[i].finished);
    }
  }
}

TEST(BeamSearch, AWideBeamFindsTheBestOfAllTranslations) {
  expect_equal_to_enumeration(wide_beam());
}

TEST(BeamSearch, AWideBeamFindsTheBestWithALengthPenalty) {
  auto options = wide_beam();
  options.length_penalty = 0.6;
  expect_equal_to_enumeration(options);
  options.length_penalty = 1.8;
  expect_equal_to_enumeration(options);
}

TEST(BeamSearch, AWideBeamFindsTheBestNormalizedByLength) {
  auto options = wide_beam();
  options.normalize = 1;
  expect_equal_to_enumeration(options);
}

TEST(BeamSearch, AWideBeamFindsTheBestWithAWordPenalty) {
  auto options = wide_beam();
  options.word_penalty = 0.7;
  expect_equal_to_enumeration(options);
  options.word_penalty = -1.5;
  expect_equal_to_enumeration(options);
}

TEST(BeamSearch, AWideBeamFindsTheBestWithACoveragePenalty) {
  auto options = wide_beam();
  options.coverage_penalty = 0.8;
  expect_equal_to_enumeration(options);
}

TEST(BeamSearch, AWideBeamFindsTheBestWithARepetitionPenalty) {
  auto options = wide_beam();
  options.repetition_penalty = 1.7;
  expect_equal_to_enumeration(options);
}

TEST(BeamSearch, AWideBeamFindsTheBestWithEverythingTogether) {
  auto options = wide_beam();
  options.length_penalty = 0.9;
  options.word_penalty = -0.4;
  options.coverage_penalty = 0.3;
  options.repetition_penalty = 1.3;
  options.min_length = 2;
  expect_equal_to_enumeration(options, {.source = {4, 5}, .prefix = {kC}});
}

TEST(BeamSearch, AWideBeamFindsTheBestWithUnknownPieces) {
  auto options = wide_beam();
  options.beam_size = 4 * 1024;
  options.allow_unknown = true;
  expect_equal_to_enumeration(options);
}

// The best piece at every step, from the definition.
SearchHypothesis greedy_by_hand(const ToyLogits& logits, const SearchTask& task, size_t limit) {
  SearchHypothesis result;
  while (true) {
    const auto next = logits(task.source, result.pieces);
    const auto best = std::max_element(next.begin() + kEndPiece, next.end());
    const auto piece = static_cast<int32_t>(best - next.begin());
    result.finished = piece == kEndPiece;
    if (!result.finished && result.pieces.size() == limit) return result;
    double sum = 0;
    for (const float logit : next) sum += std::exp(static_cast<double>(logit));
    result.log_probability += static_cast<double>(*best) - std::log(sum);
    if (result.finished) return result;
    result.pieces.push_back(piece);
  }
}

TEST(GreedySearch, TakesTheBestPieceAtEveryStep) {
  int finished = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const auto logits = random_logits(seed, 9);
    ToyModel model(logits, 9);
    const auto found = search_one(model, kTask, {.max_length = 8});
    const auto expected = greedy_by_hand(logits, kTask, 8);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].pieces, expected.pieces);
    EXPECT_EQ(found[0].finished, expected.finished);
    EXPECT_NEAR(found[0].log_probability, expected.log_probability, 2e-6);
    EXPECT_EQ(found[0].score, found[0].log_probability);
    EXPECT_EQ(found[0].piece_scores.size(), found[0].pieces.size() + (expected.finished ? 1 : 0));
    finished += expected.finished;
  }
  EXPECT_GT(finished, 20);  // Both kinds are there.
  EXPECT_LT(finished, 95);
}

TEST(GreedySearch, OfEqualPiecesTheLowerComes) {
  ToyModel model(constant_probabilities({0.2, 0.4, 0.4}), 6);
  const auto found = search_one(model, kTask, {.max_length = 3});
  EXPECT_THAT(found[0].pieces, ElementsAre(kA, kA, kA));
}

TEST(BeamSearch, OfEqualHypothesesTheOneOfLowerPiecesIsFirst) {
  ToyModel model(constant_probabilities({0.2, 0.4, 0.4}), 6);
  const auto found = search_one(model, kTask, {.beam_size = 4, .n_best = 4, .max_length = 2});
  EXPECT_THAT(pieces_of(found), ElementsAre(Ids{}, Ids{kA, kA}, Ids{kA, kB}, Ids{kB, kA}));
}

SearchOptions random_options(Random& random) {
  SearchOptions options{.beam_size = 1 + static_cast<int>(random.below(6))};
  options.n_best = 1 + static_cast<int>(random.below(static_cast<uint64_t>(options.beam_size)));
  options.max_length = 3 + static_cast<int>(random.below(10));
  options.max_length_extra = 100;
  if (random.chance(0.4)) options.length_penalty = 2 * random.uniform();
  if (options.length_penalty == 0 && random.chance(0.5)) options.normalize = 2 * random.uniform();
  if (random.chance(0.5)) options.word_penalty = 4 * random.uniform() - 2;
  if (random.chance(0.3)) options.coverage_penalty = random.uniform();
  if (random.chance(0.3)) options.repetition_penalty = 0.5 + 2 * random.uniform();
  if (random.chance(0.3)) options.min_length = static_cast<int>(random.below(3));
  options.allow_unknown = random.chance(0.2);
  return options;
}

TEST(EarlyStopping, GivesTheSameHypothesesInFewerSteps) {
  Random random(5);
  size_t steps_with = 0, steps_without = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    ToyModel model(random_logits(seed, kVocab, 1 + 4 * random.uniform()), kVocab);
    model.attends = true;
    auto options = random_options(random);
    const auto without = search_one(model, kTask, options);
    const size_t steps = model.steps;
    options.early_stopping = true;
    const auto with = search_one(model, kTask, options);
    expect_same(with, without);
    EXPECT_LE(model.steps, steps);
    steps_with += model.steps;
    steps_without += steps;
  }
  EXPECT_LT(steps_with, steps_without);
}

TEST(EarlyStopping, SavesAQuarterOfTheStepsOfAPlainBeam) {
  size_t steps_with = 0, steps_without = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    ToyModel model(random_logits(seed, kVocab), kVocab);
    SearchOptions options{.beam_size = 6, .max_length = 30, .max_length_extra = 100};
    search_one(model, kTask, options);
    steps_without += model.steps;
    options.early_stopping = true;
    search_one(model, kTask, options);
    steps_with += model.steps;
  }
  EXPECT_LT(4 * steps_with, 3 * steps_without);
}

TEST(Search, GivesASentenceTheSameWhateverIsInItsBatch) {
  Random random(6);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    ToyModel model(random_logits(seed, kVocab), kVocab);
    model.attends = true;
    auto options = random_options(random);
    options.early_stopping = random.chance(0.5);
    options.sampling = random.chance(0.3);
    options.alternatives = !options.sampling && random.chance(0.3);
    std::vector<SearchTask> tasks = {
        {{4}, {}, 0}, {{5, 6}, {kB}, 1}, {{}, {}, 2}, {{4}, {}, 3}, {{6, 5, 4, 4}, {kC, kA}, 4}};
    random.shuffle(std::span(tasks));
    const auto together = search(model, tasks, options);
    ASSERT_EQ(together.size(), tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      expect_same(together[i], search_one(model, tasks[i], options));
    }
  }
}

TEST(Search, SentencesThatAreDoneGetNoMoreRows) {
  // Sources end after as many pieces as they have.
  const ToyLogits logits = [](const Ids& source, const Ids& prefix) {
    std::vector<float> row(6, 0.0f);
    row[prefix.size() < source.size() ? kA : kEndPiece] = 10;
    return row;
  };
  ToyModel model(logits, 6);
  const std::vector<SearchTask> tasks = {{{4, 4, 4}}, {{4}}, {{}}, {{4, 4}}};
  const auto found = search(model, tasks, {});
  EXPECT_THAT(model.rows_of_sentence,
              ElementsAre(ElementsAre(1, 1, 1, 1), ElementsAre(1, 1, 0, 0), ElementsAre(1, 0, 0, 0),
                          ElementsAre(1, 1, 1, 0)));
  for (size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(found[i][0].pieces.size(), tasks[i].source.size());
  }
}

TEST(Search, NoTasksAskNothingOfTheModel) {
  ToyModel model(random_logits(1, kVocab), kVocab);
  EXPECT_TRUE(search(model, {}, {}).empty());
  EXPECT_TRUE(score_targets(model, {}).empty());
}

TEST(Search, ColumnsOfAShortlistAreItsPieces) {
  ToyModel all(random_logits(3, 12), 12);
  ToyModel some(
      [](const Ids& source, const Ids& prefix) {
        auto logits = random_logits(3, 12)(source, prefix);
        for (const size_t piece : {0, 1, 4, 6, 7, 9, 11}) logits[piece] = kNever;
        return logits;
      },
      12);
  ToyModel shortlisted(random_logits(3, 12), 12);
  shortlisted.shortlist = {2, 3, 5, 8, 10};
  const SearchOptions options{.beam_size = 4, .n_best = 4, .repetition_penalty = 1.5};
  const auto expected = search_one(some, kTask, options);
  const auto found = search_one(shortlisted, kTask, options);
  EXPECT_EQ(pieces_of(found), pieces_of(expected));
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
  EXPECT_NE(pieces_of(found), pieces_of(search_one(all, kTask, options)));
}

TEST(Search, AHypothesisThatNothingMayFollowIsCut) {
  // After a piece, nothing.
  const ToyLogits logits = [](const Ids&, const Ids& prefix) {
    std::vector<float> row(6, kNever);
    if (prefix.empty()) row[kA] = 0;
    return row;
  };
  for (const bool sampling : {false, true}) {
    ToyModel model(logits, 6);
    const auto found = search_one(model, kTask, {.beam_size = 2, .sampling = sampling});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].pieces, ElementsAre(kA));
    EXPECT_FALSE(found[0].finished);
    EXPECT_EQ(found[0].score, 0);
  }
}

TEST(Search, SaysThatTheModelComputedNaN) {
  for (const float wrong : {std::nanf(""), -kNever}) {
    ToyModel model(
        [=](const Ids&, const Ids&) {
          return std::vector<float>{0, 0, 0, 0, wrong};
        },
        5);
    try {
      search_one(model, kTask, {});
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the model computed NaN"));
    }
  }
}

}  // namespace
}  // namespace eatt
