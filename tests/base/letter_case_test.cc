
#include <gtest/gtest.h>

#include <string>

#include "base/text/unicode.h"

namespace eatt {
namespace {

std::string capitalized(std::string_view word) {
  std::string out;
  append_capitalized(word, out);
  return out;
}

TEST(LetterCase, LowerCaseKnowsTheScriptsThatHaveCase) {
  EXPECT_EQ(lower_case("The U.S. ÉLAN Öl ИВАН ԵՐԵՎԱՆ 北京 42"),
            "the u.s. élan öl иван երեվան 北京 42");
}

TEST(LetterCase, LowerCaseLooksAtOneCharacterAtATimeAsPerlDoes) {
  EXPECT_EQ(lower_case("ΣΟΦΌΣ"), "σοφόσ");                // No final sigma.
  EXPECT_EQ(lower_case("İstanbul"), "i\xCC\x87stanbul");  // Not the word "istanbul".
  EXPECT_EQ(lower_case("Ǆ ǅ"), "ǆ ǆ");                    // Title case has a lower case too.
}

TEST(LetterCase, OnlyTheFirstCharacterIsCapitalized) {
  EXPECT_EQ(capitalized("the end"), "The end");
  EXPECT_EQ(capitalized("élan"), "Élan");
  EXPECT_EQ(capitalized("иван"), "Иван");
  EXPECT_EQ(capitalized("42nd"), "42nd");
  EXPECT_EQ(capitalized("iPhone"), "IPhone");
  EXPECT_EQ(capitalized(""), "");
}

TEST(LetterCase, ALetterWithoutASingleCapitalStays) {
  EXPECT_EQ(capitalized("ŉ"), "ŉ");
  EXPECT_EQ(capitalized("ﬁrst"), "ﬁrst");
}

TEST(LetterCase, WordsWithoutCapitalStartInLowerCase) {
  EXPECT_TRUE(starts_in_lower_case("word"));
  EXPECT_TRUE(starts_in_lower_case("iPhone"));
  EXPECT_TRUE(starts_in_lower_case("42"));
  EXPECT_TRUE(starts_in_lower_case("北京"));
  EXPECT_FALSE(starts_in_lower_case("Word"));
  EXPECT_FALSE(starts_in_lower_case("Élan"));
  EXPECT_FALSE(starts_in_lower_case("İ"));
}

TEST(LetterCase, BytesThatAreNotUtf8PassThrough) {
  EXPECT_EQ(lower_case("A\xFF\xC3"), "a\xFF\xC3");
  EXPECT_EQ(capitalized("\xC3"), "\xC3");
  EXPECT_TRUE(starts_in_lower_case("\xFFWord"));
}

TEST(LetterCase, WhiteSpaceIsUnicodes) {
  EXPECT_EQ(leading_space_bytes(" a"), 1u);
  EXPECT_EQ(leading_space_bytes("\r\n"), 1u);
  EXPECT_EQ(leading_space_bytes("\u00A0a"), 2u);
  EXPECT_EQ(leading_space_bytes("\u2009a"), 3u);
  EXPECT_EQ(leading_space_bytes("\u3000"), 3u);
  EXPECT_EQ(leading_space_bytes("\u200Ba"), 0u);  // Zero width: no white space.
  EXPECT_EQ(leading_space_bytes("。"), 0u);
  EXPECT_EQ(leading_space_bytes("\xC2"), 0u);  // Cut short.
  EXPECT_EQ(leading_space_bytes(""), 0u);
}

}  // namespace
}  // namespace eatt
