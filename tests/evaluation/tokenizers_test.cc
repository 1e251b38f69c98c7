#include "evaluation/tokenizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "evaluation/ter.h"

namespace eatt::evaluation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

Words split(Tokenizer tokenizer, std::string_view line) {
  std::string scratch;
  std::vector<std::string_view> words;
  tokenize(tokenizer, line, scratch, words);
  return {words.begin(), words.end()};
}

Words split_ter(std::string_view line, const TerOptions& options) {
  std::string scratch;
  std::vector<std::string_view> words;
  split_for_ter(options, line, scratch, words);
  return {words.begin(), words.end()};
}

TEST(Tokenizer13a, SplitsPunctuationOff) {
  EXPECT_THAT(split(Tokenizer::v13a, "\"Hello, world!\" (he said)."),
              ElementsAre("\"", "Hello", ",", "world", "!", "\"", "(", "he", "said", ")", "."));
  EXPECT_THAT(split(Tokenizer::v13a, "don't e-mail a/b"),
              ElementsAre("don't", "e-mail", "a", "/", "b"));
}

TEST(Tokenizer13a, KeepsNumbersWithSeparatorsWhole) {
  EXPECT_THAT(split(Tokenizer::v13a, "1,234.56, 3.5% and .5 or 7."),
              ElementsAre("1,234.56", ",", "3.5", "%", "and", ".", "5", "or", "7", "."));
  EXPECT_THAT(split(Tokenizer::v13a, "2019-20 3-4"), ElementsAre("2019", "-", "20", "3", "-", "4"));
}

TEST(Tokenizer13a, EverySecondStopOfARunIsLeftToTheNextRule) {
  EXPECT_THAT(split(Tokenizer::v13a, "a...b"), ElementsAre("a", ".", ".", ".", "b"));
  EXPECT_THAT(split(Tokenizer::v13a, "a..5"), ElementsAre("a", ".", ".5"));
  EXPECT_THAT(split(Tokenizer::v13a, "5...5"), ElementsAre("5", ".", ".", ".5"));
  EXPECT_THAT(split(Tokenizer::v13a, "5..5"), ElementsAre("5", ".", ".", "5"));
}

TEST(Tokenizer13a, UnescapesAndForgetsSkipped) {
  EXPECT_THAT(split(Tokenizer::v13a, "A&amp;B &lt;b&gt; &quot;x&quot; &amp;lt;<skipped>"),
              ElementsAre("A", "&", "B", "<", "b", ">", "\"", "x", "\"", "<"));
  EXPECT_THAT(split(Tokenizer::v13a, "hy-\nphen\nline"), ElementsAre("hyphen", "line"));
}

TEST(Tokenizer13a, WhiteSpaceOfEveryKindSeparates) {
  EXPECT_THAT(split(Tokenizer::v13a,
                    "a\u00a0b\u3000c\u2028d\te\x1f"
                    "f"),
              ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(split(Tokenizer::v13a, " \u2003 "), IsEmpty());
  EXPECT_THAT(split(Tokenizer::v13a, ""), IsEmpty());
}

TEST(TokenizerIntl, SplitsPunctuationAndSymbolsOfEveryScript) {
  EXPECT_THAT(split(Tokenizer::intl, "«Да», сказал\u00a0он—5€"),
              ElementsAre("«", "Да", "»", ",", "сказал", "он", "—", "5", "€"));
  EXPECT_THAT(split(Tokenizer::intl, "x\u0964 y\uff0c"), ElementsAre("x", "\u0964", "y", "\uff0c"));
}

TEST(TokenizerIntl, PunctuationBetweenNumbersStays) {
  EXPECT_THAT(split(Tokenizer::intl, "1,234.5 it's 10:30"),
              ElementsAre("1,234.5", "it", "'", "s", "10:30"));
  EXPECT_THAT(split(Tokenizer::intl, "٣٫٥ ½.½"), ElementsAre("٣٫٥", "½.½"));
}

TEST(TokenizerIntl, TheStopAfterANumberStaysAtTheEndOfTheLine) {
  EXPECT_THAT(split(Tokenizer::intl, "in 2017."), ElementsAre("in", "2017."));
  EXPECT_THAT(split(Tokenizer::intl, "in 2017. Then"), ElementsAre("in", "2017", ".", "Then"));
  EXPECT_THAT(split(Tokenizer::intl, ".5"), ElementsAre(".5"));
  EXPECT_THAT(split(Tokenizer::intl, "."), ElementsAre("."));
}

TEST(TokenizerIntl, EmojiAreSymbolsAndAccentsStayWithTheirLetter) {
  EXPECT_THAT(split(Tokenizer::intl, "ok\U0001f600\U0001f44d"),
              ElementsAre("ok", "\U0001f600", "\U0001f44d"));
  EXPECT_THAT(split(Tokenizer::intl, "cafe\u0301!"), ElementsAre("cafe\u0301", "!"));
}

TEST(TokenizerZh, ChineseCharactersStandAloneAndTheRestIs13a) {
  EXPECT_THAT(split(Tokenizer::zh, "我用Python 3.11写了2,000行。"),
              ElementsAre("我", "用", "Python", "3.11", "写", "了", "2,000", "行", "。"));
  EXPECT_THAT(split(Tokenizer::zh, "“你好”，A.B!"),
              ElementsAre("“", "你", "好", "”", "，", "A", ".", "B", "!"));
}

TEST(TokenizerZh, NothingIsAroundTheLine) {
  EXPECT_THAT(split(Tokenizer::zh, "  3.5 5."), ElementsAre("3.5", "5."));
  EXPECT_THAT(split(Tokenizer::zh, ".5元"), ElementsAre(".5", "元"));
}

TEST(TokenizerZh, RangesAreThoseOfPublishedScores) {
  EXPECT_THAT(split(Tokenizer::zh, "a—b→c"), ElementsAre("a", "—", "b", "→", "c"));
  EXPECT_THAT(split(Tokenizer::zh, "\U00020000\U0002a6d6x"), ElementsAre("\U00020000\U0002a6d6x"));
  EXPECT_THAT(split(Tokenizer::zh, "x\u9fbby\u9fbcz"), ElementsAre("x", "\u9fbb", "y\u9fbcz"));
}

TEST(TokenizerChar, EveryCodePointButWhiteSpace) {
  EXPECT_THAT(split(Tokenizer::character, "e\u0301 中\u3000\U0001f44d\U0001f3fd"),
              ElementsAre("e", "\u0301", "中", "\U0001f44d", "\U0001f3fd"));
}

TEST(TokenizerNone, OnlyWhiteSpaceSeparates) {
  EXPECT_THAT(split(Tokenizer::none, "a.b  c,\u00a0d"), ElementsAre("a.b", "c,", "d"));
}

TEST(TokenizerNames, GoThereAndBack) {
  for (const char* name : {"13a", "intl", "zh", "char", "none"}) {
    ASSERT_TRUE(tokenizer_from_name(name)) << name;
    EXPECT_EQ(tokenizer_name(*tokenizer_from_name(name)), name);
  }
  EXPECT_FALSE(tokenizer_from_name("moses"));
}

TEST(TerWords, LowercasesUnlessToldNot) {
  EXPECT_THAT(split_ter("The Cat.", {}), ElementsAre("the", "cat."));
  EXPECT_THAT(split_ter("The Cat.", {.case_sensitive = true}), ElementsAre("The", "Cat."));
}

TEST(TerWords, NormalizationSplitsPunctuationAndPossessives) {
  EXPECT_THAT(split_ter("It's John's, (5-6) 1,000.", {.normalized = true}),
              ElementsAre("it", "'s", "john's", ",", "(", "5", "-", "6", ")", "1,000", "."));
  EXPECT_THAT(split_ter("That's! yours's", {.normalized = true}),
              ElementsAre("that", "'s", "!", "yours", "'s"));
}

TEST(TerWords, RemovedPunctuationJoinsItsNeighbours) {
  EXPECT_THAT(split_ter("e.g. \"this\" ; (that)!", {.no_punctuation = true}),
              ElementsAre("eg", "this", "that"));
  EXPECT_THAT(split_ter("e.g. x", {.normalized = true, .no_punctuation = true}),
              ElementsAre("e", "g", "x"));
}

TEST(TerWords, AsianSupportSplitsChineseAndRemovesItsPunctuation) {
  EXPECT_THAT(split_ter("你好，world。", {.normalized = true, .asian_support = true}),
              ElementsAre("你", "好", "，", "world", "。"));
  EXPECT_THAT(split_ter("你好，world。", {.no_punctuation = true, .asian_support = true}),
              ElementsAre("你好world"));
  EXPECT_THAT(split_ter("你好，world。", {.normalized = true}), ElementsAre("你好，world。"));
}

}  // namespace
}  // namespace eatt::evaluation
