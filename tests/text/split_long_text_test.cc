#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/error.h"
#include "text/sentences/sentences.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A piece for each byte that is no space: easy to count.
size_t count_letters(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count(text.begin(), text.end(), ' '));
}

auto split(std::string_view text, size_t most) {
  return split_long_text(text, most, count_letters, SentenceSplitter());
}

TEST(SplitLongText, ATextThatFitsIsLeftAlone) {
  EXPECT_THAT(split("One. Two.", 8), ElementsAre("One. Two."));
  EXPECT_THAT(split("", 8), ElementsAre(""));
}

TEST(SplitLongText, SentencesEndWithTheirMarksBeforeWhiteSpace) {
  EXPECT_THAT(split("One is. Two? Yes! No; so… end", 9),
              ElementsAre("One is.", "Two?", "Yes!", "No;", "so…", "end"));
  EXPECT_THAT(split("He said \"go.\" (Then.) Out", 12),
              ElementsAre("He said \"go.\"", "(Then.)", "Out"));
  EXPECT_THAT(split("What?! Really... yes", 9), ElementsAre("What?!", "Really...", "yes"));
  EXPECT_THAT(split("tokens stand alone . and here too .", 19),
              ElementsAre("tokens stand alone .", "and here too ."));
}

TEST(SplitLongText, NumbersAndInitialsDoNotEndASentence) {
  EXPECT_THAT(split("It is 3.5 m. J. Smith saw it.", 14),
              ElementsAre("It is 3.5 m.", "J. Smith saw it."))
      << "m is a unit, J an initial";
  EXPECT_THAT(split("See J. Smith. He left.", 11), ElementsAre("See J. Smith.", "He left."));
  EXPECT_THAT(split("Visit www.eatt.org now. Do.", 21),
              ElementsAre("Visit www.eatt.org now.", "Do."));
}

TEST(SplitLongText, ChineseNeedsNoSpaceBehindItsMarks) {
  EXPECT_THAT(split("你好。他说：“走吧！”再见", 24),
              ElementsAre("你好。", "他说：“走吧！”", "再见"));
}

TEST(SplitLongText, LongSentencesAreSplitBetweenClausesThatStayTogetherWhileTheyFit) {
  EXPECT_THAT(split("one two, three, four, five", 13),
              ElementsAre("one two, three,", "four, five"));
  EXPECT_THAT(split("天，地，人", 9), ElementsAre("天，", "地，人")) << "3 bytes each";
}

TEST(SplitLongText, LongClausesAreSplitBetweenWordsAndLongWordsBetweenCharacters) {
  EXPECT_THAT(split("aaaa bbbb cccc dddd", 8), ElementsAre("aaaa bbbb", "cccc dddd"));
  const std::string word(100, 'x');
  std::string joined;
  for (const auto part : split(word, 7)) {
    EXPECT_LE(part.size(), 7u);
    joined += part;
  }
  EXPECT_EQ(joined, word);
}

TEST(SplitLongText, NothingButWhiteSpaceIsLeftOut) {
  const std::string text =
      "A first one, with commas: and colons; then.  中文也有。More!\tTabs, \"quotes.\" "
      "averyveryverylongwordwithoutend e\u0301e\u0301e\u0301e\u0301e\u0301 …";
  const auto without_space = [](std::string_view t) {
    std::string kept;
    for (const char c : t) {
      if (c != ' ' && c != '\t') kept += c;
    }
    return kept;
  };
  for (size_t most = 4; most < 80; ++most) {
    std::string joined;
    for (const auto part : split(text, most)) {
      EXPECT_LE(count_letters(part), most);
      EXPECT_FALSE(part.empty());
      joined += without_space(part);
    }
    EXPECT_EQ(joined, without_space(text)) << most;
  }
}

TEST(SplitLongText, CombiningMarksStayWithTheirLetters) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "e\u0301";  // 3 bytes
  for (const auto part : split(text, 8)) EXPECT_EQ(part.size() % 3, 0u) << part;
}

TEST(SplitLongText, ACharacterThatDoesNotFitIsAnError) {
  EXPECT_THAT([] { split("中文", 2); },
              ThrowsMessage<Error>(HasSubstr("the character '中' takes 3 pieces")));
}

TEST(SplitLongText, MegabytesTakeLittleTime) {
  for (const std::string unit : {"a", "a ", "a. ", "ab. ", "ab, ", ".", "\u0301", "。", " x"}) {
    std::string text;
    while (text.size() < (1 << 20)) text += unit;
    const auto start = std::chrono::steady_clock::now();
    for (const auto part : split(text, 512)) ASSERT_LE(count_letters(part), 512u) << unit;
    // Milliseconds are usual; work that grew with the square of the length would take minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << unit;
  }
}

}  // namespace
}  // namespace eatt
