#include "evaluation/chrf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace eatt::evaluation {
namespace {

using ::testing::StartsWith;
using Text = std::vector<std::string_view>;

constexpr double kDigits = 1e-10;

double chrf(const Text& hypotheses, const std::vector<Text>& references,
            const ChrfOptions& options = {}) {
  return corpus_chrf(hypotheses, std::vector<Sentences>(references.begin(), references.end()),
                     options);
}

TEST(Chrf, EqualTextsScore100) {
  EXPECT_NEAR(chrf({"The cat."}, {{"The cat."}}), 100, kDigits);
  EXPECT_NEAR(chrf({"The cat."}, {{"The cat."}}, {.word_order = 2}), 100, kDigits);
  EXPECT_NEAR(chrf({"a"}, {{"a"}}), 100, kDigits) << "orders that neither has are left out";
}

TEST(Chrf, EmptyTextScores0) {
  EXPECT_EQ(chrf({""}, {{"abc"}}), 0);
  EXPECT_EQ(chrf({"abc"}, {{""}}), 0);
  EXPECT_EQ(chrf({""}, {{""}}), 0);
  EXPECT_EQ(chrf({"abc"}, {{"xyz"}}), 0);
}

TEST(Chrf, AveragesPrecisionAndRecallOverOrders) {
  // Orders 1 to 3 have 2 of 3, 1 of 2 and 0 of 1 on both sides.
  EXPECT_NEAR(chrf({"abc"}, {{"abd"}}), 100 * (2.0 / 3 + 1.0 / 2) / 3, kDigits);
}

TEST(Chrf, RecallCountsBetaTimes) {
  // "ab" in "abcd": precision 1 in both orders it has; recall 2/4, 1/3. Longer orders, which the
  // reference alone has, do not count.
  const double recall = (2.0 / 4 + 1.0 / 3) / 2;
  EXPECT_NEAR(chrf({"ab"}, {{"abcd"}}), 100 * 5 * recall / (4 + recall), kDigits);
  EXPECT_NEAR(chrf({"ab"}, {{"abcd"}}, {.beta = 1}), 100 * 2 * recall / (1 + recall), kDigits);
}

TEST(Chrf, OrdersTheReferenceLacksDoNotCountAgainstTheHypothesis) {
  EXPECT_NEAR(chrf({"ab", "wxyz"}, {{"ab", "w"}}),
              chrf({"ab", "wxyz"}, {{"ab", "w"}}, {.char_order = 2}), kDigits);
}

TEST(Chrf, WhiteSpaceIsLeftOutUnlessAskedFor) {
  EXPECT_NEAR(chrf({"a b\u00a0c"}, {{"ab c"}}), 100, kDigits);
  EXPECT_LT(chrf({"a b c"}, {{"ab c"}}, {.whitespace = true}), 90);
}

TEST(Chrf, PlusPlusSeparatesOneSignOfPunctuationPerWord) {
  // "(hi)" becomes "(hi" and ")", which has one word in common with "hi" and ")".
  const ChrfOptions words_only{.char_order = 0, .word_order = 1};
  EXPECT_NEAR(chrf({"(hi)"}, {{"hi)"}}, words_only), 50, kDigits);
  EXPECT_NEAR(chrf({"(hi"}, {{"( hi"}}, words_only), 100, kDigits);
  EXPECT_NEAR(chrf({"!"}, {{"!"}}, words_only), 100, kDigits);
}

TEST(Chrf, EpsSmoothingAveragesFScoresInstead) {
  // F of orders 1 to 3: 2/3, 1/2, about 0; orders 4 to 6: about 0.
  EXPECT_NEAR(chrf({"abc"}, {{"abd"}}, {.eps_smoothing = true}), 100 * (2.0 / 3 + 1.0 / 2) / 6,
              kDigits);
}

TEST(Chrf, TheBestReferenceOfEachSentenceCounts) {
  const Text hypothesis{"abcd", "efgh"};
  const double score = chrf(hypothesis, {{"abcd", "xxxx"}, {"yyyy", "efgh"}});
  EXPECT_NEAR(score, 100, kDigits);
}

TEST(Chrf, CharactersAreCodePoints) {
  EXPECT_NEAR(chrf({"\U0001f44d\U0001f3fd"}, {{"\U0001f44d"}}), 100 * 5 * 0.5 / (4 * 0.5 + 1),
              kDigits);
}

TEST(Chrf, NameAndSignatureTellTheVariant) {
  EXPECT_EQ(Chrf().name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2, .beta = 3}).name(), "chrF3++");
  EXPECT_THAT(Chrf().signature(1),
              StartsWith("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:eatt-"));
  EXPECT_THAT(Chrf({.char_order = 5,
                    .word_order = 2,
                    .lowercase = true,
                    .whitespace = true,
                    .eps_smoothing = true})
                  .signature(3),
              StartsWith("nrefs:3|case:lc|eff:no|nc:5|nw:2|space:yes|version:"));
}

TEST(Chrf, RefusesOrdersThatMakeNoSense) {
  EXPECT_THROW(Chrf({.char_order = -1}), UsageError);
  EXPECT_THROW(Chrf({.char_order = 0, .word_order = 0}), UsageError);
  EXPECT_THROW(Chrf({.beta = 1000}), UsageError);
}

}  // namespace
}  // namespace eatt::evaluation
