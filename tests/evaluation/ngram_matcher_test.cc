#include "evaluation/ngram_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"

namespace eatt::evaluation {
namespace {

using ::testing::ElementsAre;
using Sequence = std::vector<uint32_t>;
using Counts = std::map<Sequence, uint32_t>;

std::vector<uint32_t> match(const Sequence& hypothesis, const std::vector<Sequence>& references,
                            size_t orders) {
  NgramMatcher matcher;
  const std::vector<Symbols> symbols(references.begin(), references.end());
  std::vector<uint32_t> matches(orders);
  matcher.match(hypothesis, symbols, matches);
  return matches;
}

Counts count(const Sequence& sequence, size_t order) {
  Counts counts;
  for (size_t i = 0; i + order <= sequence.size(); ++i) {
    const auto begin = sequence.begin() + static_cast<ptrdiff_t>(i);
    ++counts[Sequence(begin, begin + static_cast<ptrdiff_t>(order))];
  }
  return counts;
}

std::vector<uint32_t> match_by_map(const Sequence& hypothesis,
                                   const std::vector<Sequence>& references, size_t orders) {
  std::vector<uint32_t> matches(orders, 0);
  for (size_t n = 1; n <= orders; ++n) {
    Counts wanted;
    for (const Sequence& reference : references) {
      for (const auto& [ngram, times] : count(reference, n)) {
        wanted[ngram] = std::max(wanted[ngram], times);
      }
    }
    for (const auto& [ngram, times] : count(hypothesis, n)) {
      matches[n - 1] += std::min(times, wanted[ngram]);
    }
  }
  return matches;
}

TEST(NgramMatcher, CountsAreClippedToTheReference) {
  // the the the the cat / the cat the mat
  EXPECT_THAT(match({1, 1, 1, 1, 2}, {{1, 2, 1, 3}}, 4), ElementsAre(3, 1, 0, 0));
}

TEST(NgramMatcher, ClipsToTheBestReferenceNotToTheirSum) {
  EXPECT_THAT(match({1, 1, 1}, {{1, 2}, {1, 1, 3}, {1, 4}}, 2), ElementsAre(2, 1));
}

TEST(NgramMatcher, EmptySequencesMatchNothing) {
  EXPECT_THAT(match({}, {{1, 2}}, 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(match({1, 2}, {{}}, 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(match({1, 2}, {{}, {2}}, 2), ElementsAre(1, 0));
}

TEST(NgramMatcher, AgreesWithMapsOnRandomSequences) {
  Random random(3);
  NgramMatcher matcher;  // One for all, as in use: what one pair leaves behind must not be seen.
  const auto sequence = [&](uint64_t alphabet) {
    Sequence result(random.below(random.chance(0.05) ? 500 : 60));
    for (uint32_t& symbol : result) symbol = static_cast<uint32_t>(random.below(alphabet) * 65537);
    return result;
  };
  for (int round = 0; round < 300; ++round) {
    const uint64_t alphabet = 1 + random.below(round % 2 == 0 ? 4 : 40);
    const Sequence hypothesis = sequence(alphabet);
    std::vector<Sequence> references;
    for (size_t r = 1 + random.below(3); r > 0; --r) references.push_back(sequence(alphabet));
    const std::vector<Symbols> symbols(references.begin(), references.end());
    std::vector<uint32_t> matches(1 + random.below(8));
    matcher.match(hypothesis, symbols, matches);
    ASSERT_EQ(matches, match_by_map(hypothesis, references, matches.size())) << "round " << round;
  }
}

}  // namespace
}  // namespace eatt::evaluation
