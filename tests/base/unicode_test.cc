#include "base/text/unicode.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/utf8.h"

namespace eatt {
namespace {

std::string lower(std::string_view text) {
  std::string result;
  append_python_lower_case(text, result);
  return result;
}

TEST(Unicode, DecodesOneToFourBytes) {
  const std::string text = "a\u00e9\u4e2d\U0001f600";
  EXPECT_EQ(decode_utf8(text, 0).code, U'a');
  EXPECT_EQ(decode_utf8(text, 1).code, U'\u00e9');
  EXPECT_EQ(decode_utf8(text, 3).code, U'\u4e2d');
  EXPECT_EQ(decode_utf8(text, 6).code, U'\U0001f600');
  EXPECT_EQ(decode_utf8(text, 6).size, 4u);
}

TEST(Unicode, DecodesBackwards) {
  const std::string text = "a\u00e9\U0001f600";
  EXPECT_EQ(decode_utf8_before(text, 7).code, U'\U0001f600');
  EXPECT_EQ(decode_utf8_before(text, 3).code, U'\u00e9');
  EXPECT_EQ(decode_utf8_before(text, 1).code, U'a');
}

TEST(Unicode, BrokenBytesAreSingleCharactersThatDiffer) {
  const std::string text = "\xff\xfe\xe4\xb8";  // The last two begin a character that never ends.
  EXPECT_EQ(decode_utf8(text, 0).size, 1u);
  EXPECT_NE(decode_utf8(text, 0).code, decode_utf8(text, 1).code);
  EXPECT_EQ(decode_utf8(text, 2).size, 1u);
  EXPECT_EQ(decode_utf8_before(text, 4).size, 1u);
}

TEST(Unicode, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(first_invalid_utf8(""), std::string_view::npos);
  EXPECT_EQ(first_invalid_utf8("plain text, long enough \u00e4\u4e2d\U0001f600 for words of eight"),
            std::string_view::npos);
  EXPECT_EQ(first_invalid_utf8("0123456789\xff"), 10u);
  EXPECT_EQ(first_invalid_utf8("01234\xff 56789012"), 5u);
  EXPECT_EQ(first_invalid_utf8("\xc0\x80"), 0u) << "overlong";
  EXPECT_EQ(first_invalid_utf8("\xed\xa0\x80"), 0u) << "surrogate";
  EXPECT_EQ(first_invalid_utf8("\xf4\x90\x80\x80"), 0u) << "beyond U+10FFFF";
  EXPECT_EQ(first_invalid_utf8("ab\xe4\xb8"), 2u) << "cut off";
}

TEST(Unicode, WhiteSpaceIsPythons) {
  std::u32string spaces;
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (is_python_space(code)) spaces += code;
  }
  EXPECT_EQ(spaces,
            U"\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
            U"\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000");
}

TEST(Unicode, StripsWhiteSpaceOfEveryWidth) {
  EXPECT_EQ(strip_right("  a \u00a0\u3000\r"), "  a");
  EXPECT_EQ(strip("\u2003\t a b\u2028"), "a b");
  EXPECT_EQ(strip_right("\u3000 \u00a0"), "");
  EXPECT_EQ(strip_right("a\u200b"), "a\u200b") << "a zero-width space is no white space";
}

TEST(Lowercase, LowersEveryScript) {
  EXPECT_EQ(lower("ABC xyz 123"), "abc xyz 123");
  EXPECT_EQ(lower("\u00c4\u00d6\u00dc\u1e9e \u0416"), "\u00e4\u00f6\u00fc\u00df \u0436");
  EXPECT_EQ(lower("\u01c5\u2126\u212a"), "\u01c6\u03c9k") << "title case, ohm and kelvin";
  EXPECT_EQ(lower("\U00010400"), "\U00010428");
}

TEST(Lowercase, DottedCapitalIBecomesTwoCharacters) {
  EXPECT_EQ(lower("\u0130STANBUL"), "i\u0307stanbul");
}

TEST(Lowercase, SigmaIsFinalAtTheEndOfAWordOnly) {
  EXPECT_EQ(lower("\u039f\u03a3 \u03a3\u039f\u03a3"), "\u03bf\u03c2 \u03c3\u03bf\u03c2");
  EXPECT_EQ(lower("\u03a3"), "\u03c3") << "alone";
  EXPECT_EQ(lower("A\u03a3'"), "a\u03c2'") << "an apostrophe is looked through";
  EXPECT_EQ(lower("A\u03a3'B"), "a\u03c3'b");
  EXPECT_EQ(lower("A'\u03a3"), "a'\u03c2");
  EXPECT_EQ(lower("1\u03a3"), "1\u03c3") << "a digit has no case";
  EXPECT_EQ(lower("A\u0301\u03a3\u0301 "), "a\u0301\u03c2\u0301 ") << "so are accents";
}

TEST(Lowercase, LeavesBrokenBytesAlone) { EXPECT_EQ(lower("A\xff\xc3"), "a\xff\xc3"); }

}  // namespace
}  // namespace eatt
