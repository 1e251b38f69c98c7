#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "runtime/search/next_pieces.h"
#include "runtime/search/search.h"
#include "toy_model.h"

namespace eatt {
namespace {

using namespace testing;
using ::testing::ElementsAre;

constexpr int kDraws = 20000;

// How often each piece is the first of kDraws translations, </s> first.
std::vector<double> first_pieces(const std::vector<double>& probabilities, SearchOptions options) {
  ToyModel model(constant_probabilities(probabilities), 3 + probabilities.size());
  options.sampling = true;
  options.max_length = 1;
  std::vector<SearchTask> tasks;
  for (uint64_t i = 0; i < kDraws; ++i) tasks.push_back({.source = {4}, .number = i});
  std::vector<double> counts(probabilities.size());
  for (const auto& found : search(model, tasks, options)) {
    const int32_t piece = found[0].pieces.empty() ? kEndPiece : found[0].pieces[0];
    ++counts[static_cast<size_t>(piece - kEndPiece)];
  }
  return counts;
}

// Σ (counted − expected)² / expected; pieces that are not expected have to be missing.
double chi_square(const std::vector<double>& counts, const std::vector<double>& probabilities) {
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = probabilities[i] * kDraws;
    if (expected > 0) {
      sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    } else {
      EXPECT_EQ(counts[i], 0) << i;
    }
  }
  return sum;
}

// Four degrees of freedom or fewer exceed it once in a thousand seeds.
constexpr double kLikely = 18.5;

TEST(Sampling, DrawsPiecesAsOftenAsTheyAreProbable) {
  const std::vector<double> p = {0.1, 0.4, 0.05, 0.3, 0.15};
  EXPECT_LT(chi_square(first_pieces(p, {}), p), kLikely);
}

TEST(Sampling, ATemperatureOfAHalfSquaresProbabilities) {
  const std::vector<double> p = {0.1, 0.4, 0.05, 0.3, 0.15};
  const double sum = 0.01 + 0.16 + 0.0025 + 0.09 + 0.0225;
  EXPECT_LT(chi_square(first_pieces(p, {.temperature = 0.5}),
                       {0.01 / sum, 0.16 / sum, 0.0025 / sum, 0.09 / sum, 0.0225 / sum}),
            kLikely);
}

TEST(Sampling, TopKDrawsAmongTheKBest) {
  EXPECT_LT(chi_square(first_pieces({0.1, 0.4, 0.05, 0.3, 0.15}, {.top_k = 2}),
                       {0, 4.0 / 7, 0, 3.0 / 7, 0}),
            kLikely);
}

TEST(Sampling, TopPDrawsAmongTheFewestThatReachIt) {
  const std::vector<double> p = {0.1, 0.4, 0.05, 0.3, 0.15};
  EXPECT_LT(chi_square(first_pieces(p, {.top_p = 0.6}), {0, 4.0 / 7, 0, 3.0 / 7, 0}), kLikely);
  EXPECT_LT(
      chi_square(first_pieces(p, {.top_p = 0.71}), {0, 0.4 / 0.85, 0, 0.3 / 0.85, 0.15 / 0.85}),
      kLikely);
}

TEST(Sampling, TopPCountsFromTheSumOfTheTopK) {
  // Of 0.4 and 0.3, the first alone reaches half; of all pieces it would not.
  EXPECT_EQ(first_pieces({0.1, 0.4, 0.05, 0.3, 0.15}, {.top_k = 2, .top_p = 0.5})[1], kDraws);
}

TEST(Sampling, AWideNucleusHoldsThousandsOfPieces) {
  // 10,000 equal pieces: 90 % of them are 9,000, the first ones.
  std::vector<float> gains(10000, -1.0f);
  Sampler sampler({.sampling = true, .top_p = 0.9});
  EXPECT_EQ(sampler.draw(gains, 0.0), 0u);
  gains.assign(10000, -1.0f);
  const auto last = sampler.draw(gains, std::nextafter(1.0, 0.0));
  EXPECT_NEAR(static_cast<double>(last.value()), 8999, 2);  // The log-sum is a float.
}

TEST(Sampling, TheOnlyBestPieceMakesItGreedySearch) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ToyModel model(random_logits(seed, 9), 9);
    const SearchTask task{.source = {4, 5}};
    expect_same(search_one(model, task, {.sampling = true, .top_k = 1}),
                search_one(model, task, {}));
  }
}

TEST(Sampling, HypothesesOfASentenceAreDrawnOnTheirOwn) {
  ToyModel model(constant_probabilities({0.1, 0.3, 0.3, 0.3}), 7);
  const auto found = search_one(model, {.source = {4, 4}, .prefix = {kC}},
                                {.beam_size = 20, .n_best = 20, .sampling = true});
  ASSERT_EQ(found.size(), 20u);
  std::set<Ids> different;
  for (size_t i = 0; i < found.size(); ++i) {
    different.insert(found[i].pieces);
    EXPECT_EQ(found[i].pieces.at(0), kC);
    if (i > 0 && found[i].finished == found[i - 1].finished) {
      EXPECT_LE(found[i].score, found[i - 1].score);
    }
  }
  EXPECT_GT(different.size(), 12u);
}

TEST(Sampling, DependsOnSeedNumberHypothesisAndStepAlone) {
  EXPECT_EQ(uniform_draw(1, 2, 3, 4), uniform_draw(1, 2, 3, 4));
  const std::set<double> different = {uniform_draw(1, 2, 3, 4), uniform_draw(9, 2, 3, 4),
                                      uniform_draw(1, 9, 3, 4), uniform_draw(1, 2, 9, 4),
                                      uniform_draw(1, 2, 3, 9)};
  EXPECT_EQ(different.size(), 5u);
}

}  // namespace
}  // namespace eatt
