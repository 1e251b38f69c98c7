#include "evaluation/bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/threads.h"

namespace eatt::evaluation {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using Text = std::vector<std::string_view>;

constexpr double kDigits = 1e-10;  // What published tables can show.

BleuScore bleu(const Text& hypotheses, const std::vector<Text>& references,
               const BleuOptions& options = {}) {
  return corpus_bleu(hypotheses, std::vector<Sentences>(references.begin(), references.end()),
                     options);
}

TEST(Bleu, EqualTextsScore100) {
  const BleuScore score = bleu({"The cat sat on the mat."}, {{"The cat sat on the mat."}});
  EXPECT_NEAR(score.score, 100, kDigits);
  EXPECT_THAT(score.counts, ElementsAre(7, 6, 5, 4));
  EXPECT_EQ(score.brevity_penalty, 1);
}

TEST(Bleu, AnEmptyHypothesisScores0) {
  const BleuScore score = bleu({""}, {{"a b c"}});
  EXPECT_EQ(score.score, 0);
  EXPECT_EQ(score.brevity_penalty, 0);
  EXPECT_EQ(score.hypothesis_length, 0u);
  EXPECT_EQ(score.reference_length, 3u);
}

TEST(Bleu, EmptyLinesCountAsSentencesWithoutWords) {
  const BleuScore score = bleu({"a b c d e", ""}, {{"a b c d e", "f g"}});
  EXPECT_THAT(score.counts, ElementsAre(5, 4, 3, 2));
  EXPECT_EQ(score.reference_length, 7u);
  EXPECT_NEAR(score.score, 100 * std::exp(1 - 7.0 / 5.0), kDigits);
}

TEST(Bleu, AnEmptyReferenceIsAReferenceWithoutWords) {
  const BleuScore alone = bleu({"a b c d"}, {{""}});
  EXPECT_EQ(alone.score, 0);
  EXPECT_EQ(alone.reference_length, 0u);
  EXPECT_EQ(alone.ratio(), 0);
  EXPECT_EQ(bleu({"a b"}, {{"a b c d e"}, {""}}).reference_length, 0u) << "the closest length";
  EXPECT_EQ(bleu({""}, {{""}}).brevity_penalty, 1);
}

TEST(Bleu, OneWordNeedsTheEffectiveOrder) {
  EXPECT_EQ(bleu({"cat"}, {{"cat"}}).score, 0);
  EXPECT_NEAR(bleu({"cat"}, {{"cat"}}, {.effective_order = true}).score, 100, kDigits);
}

TEST(Bleu, NoMatchAtAnyOrderScores0WhateverTheSmoothing) {
  for (const Smoothing smoothing :
       {Smoothing::none, Smoothing::floor, Smoothing::add_k, Smoothing::exp}) {
    const BleuScore score =
        bleu({"a b c d e"}, {{"v w x y z"}}, {.smoothing = smoothing, .effective_order = true});
    EXPECT_EQ(score.score, 0) << smoothing_name(smoothing);
    EXPECT_THAT(score.precisions, ElementsAre(0, 0, 0, 0));
  }
}

// Three of five words match, and nothing longer.
TEST(Bleu, SmoothingFillsOrdersWithoutMatches) {
  const auto score = [](const BleuOptions& options) {
    return bleu({"a b c d e"}, {{"a x c y e"}}, options).score;
  };
  EXPECT_EQ(score({.smoothing = Smoothing::none}), 0);
  EXPECT_NEAR(score({.smoothing = Smoothing::exp}),
              std::pow(60.0 * (100.0 / 8) * (100.0 / 12) * (100.0 / 16), 0.25), kDigits);
  EXPECT_NEAR(score({.smoothing = Smoothing::floor}), std::pow(2500.0, 0.25), kDigits);
  EXPECT_NEAR(score({.smoothing = Smoothing::floor, .smooth_value = 0.5}),
              std::pow(2500.0 * 125, 0.25), kDigits);
  EXPECT_NEAR(score({.smoothing = Smoothing::add_k}), std::pow(1e6, 0.25), kDigits);
  EXPECT_NEAR(score({.smoothing = Smoothing::add_k, .smooth_value = 2.0}),
              std::pow(60.0 * (200.0 / 6) * (200.0 / 5) * (200.0 / 4), 0.25), kDigits);
}

TEST(Bleu, ShortTextIsPenalisedForItsLength) {
  const BleuScore score = bleu({"the cat sat"}, {{"the cat sat down"}}, {.effective_order = true});
  EXPECT_NEAR(score.brevity_penalty, std::exp(1 - 4.0 / 3.0), kDigits);
  EXPECT_NEAR(score.score, 100 * std::exp(1 - 4.0 / 3.0), kDigits);
}

TEST(Bleu, TheClosestReferenceGivesTheLengthAndOfTwoTheShorter) {
  EXPECT_EQ(bleu({"a b c d"}, {{"a b c"}, {"a b c d e"}}).reference_length, 3u);
  EXPECT_EQ(bleu({"a b c d"}, {{"a b c d e"}, {"a b c"}}).reference_length, 3u);
  EXPECT_EQ(bleu({"a b c d"}, {{"a"}, {"a b c d e"}}).reference_length, 5u);
}

TEST(Bleu, IdenticalReferencesChangeNothing) {
  const Text hypothesis{"a b c x d e", "f g"};
  const Text reference{"a b c d e", "f g h"};
  const BleuScore one = bleu(hypothesis, {reference});
  const BleuScore three = bleu(hypothesis, {reference, reference, reference});
  EXPECT_EQ(one.score, three.score);
  EXPECT_EQ(one.counts, three.counts);
}

TEST(Bleu, LowercaseIgnoresCaseInEveryScript) {
  const Text hypothesis{"ÄPFEL UND ΟΔΟΣ ЖУК X"};
  const Text reference{"Äpfel und οδος жук x"};
  EXPECT_NEAR(bleu(hypothesis, {reference}, {.lowercase = true}).score, 100, kDigits);
  EXPECT_EQ(bleu(hypothesis, {reference}).score, 0);
}

TEST(Bleu, ChineseWithLatinWordsAndDigitsIsCountedByTheZhTokenizer) {
  const BleuScore score =
      bleu({"他在2023年用GPU训练。"}, {{"他于2023年用GPU训练。"}}, {.tokenizer = Tokenizer::zh});
  EXPECT_EQ(score.hypothesis_length, 9u);  // 他 在 2023 年 用 GPU 训 练 。
  EXPECT_THAT(score.counts, ElementsAre(8, 6, 5, 4));
  EXPECT_NEAR(score.score, std::pow(100.0 * 8 / 9 * 100 * 6 / 8 * 100 * 5 / 7 * 100 * 4 / 6, 0.25),
              kDigits);
}

TEST(Bleu, EmojiAndCombiningMarksAreCharactersToTheCharTokenizer) {
  const BleuScore score = bleu({"e\u0301\U0001f44d\U0001f3fd"}, {{"\u00e9\U0001f44d\U0001f3fd"}},
                               {.tokenizer = Tokenizer::character});
  EXPECT_THAT(score.totals, ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(score.counts, ElementsAre(2, 1, 0, 0));
  EXPECT_EQ(score.reference_length, 3u);
}

TEST(Bleu, WhiteSpaceAtTheEndOfALineIsNoText) {
  EXPECT_NEAR(
      bleu({"we met in 2017.\u00a0\t"}, {{"we met in 2017."}}, {.tokenizer = Tokenizer::intl})
          .score,
      100, kDigits);
}

TEST(Bleu, SignatureTellsWhatWasDone) {
  EXPECT_THAT(Bleu().signature(1),
              StartsWith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:eatt-"));
  EXPECT_THAT(
      Bleu({.tokenizer = Tokenizer::zh,
            .lowercase = true,
            .smoothing = Smoothing::floor,
            .effective_order = true})
          .signature(2, Resampling{500, 7}),
      StartsWith("nrefs:2|bs:500|seed:7|case:lc|eff:yes|tok:zh|smooth:floor[0.10]|version"));
  EXPECT_THAT(Bleu({.smoothing = Smoothing::add_k, .smooth_value = 0.255}).signature(1),
              StartsWith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[0.26]|"));
}

TEST(Bleu, DetailsAreWrittenAsSacreBleuDoes) {
  EXPECT_EQ(bleu({"a b c d e"}, {{"a b c d f g"}}).details(),
            "80.0/75.0/66.7/50.0 (BP = 0.819 ratio = 0.833 hyp_len = 5 ref_len = 6)");
}

TEST(Bleu, RefusesASmoothingValueThatIsNone) {
  EXPECT_THROW(Bleu({.smoothing = Smoothing::floor, .smooth_value = -1.0}), UsageError);
  EXPECT_THROW(Bleu({.smoothing = Smoothing::add_k,
                     .smooth_value = std::numeric_limits<double>::quiet_NaN()}),
               UsageError);
}

TEST(Bleu, DoesNotDependOnTheNumberOfThreads) {
  const Text hypothesis(3000, "a b c d e f");
  Text reference(3000, "a b x d e f g");
  reference[1700] = "a b c d e f";
  set_thread_count(1);
  const BleuScore one = bleu(hypothesis, {reference});
  set_thread_count(7);
  const BleuScore seven = bleu(hypothesis, {reference});
  set_thread_count(0);
  EXPECT_EQ(one.counts, seven.counts);
  EXPECT_EQ(one.score, seven.score);
}

}  // namespace
}  // namespace eatt::evaluation
