#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eatt {
namespace {

TEST(Utf8, WellFormedTextOfEveryLengthIsValid) {
  for (const std::string text :
       {"", "a", "plain ASCII that is longer than sixteen bytes", "ä", "中", "😀", "\u07ff\u0800",
        "\ud7ff\ue000\uffff", "\U00010000\U0010ffff"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
  EXPECT_TRUE(is_valid_utf8(std::string(1, '\0')));
}

TEST(Utf8, MalformedBytesAreFoundAtEveryPlace) {
  const std::vector<std::string> malformed = {
      "\x80",              // a continuation alone
      "\xc3",              // cut off
      "\xe4\xb8",          //
      "\xf0\x9f\x98",      //
      "\xc0\xaf",          // overlong
      "\xe0\x80\xaf",      //
      "\xf0\x80\x80\xaf",  //
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
      "\xf5\x80\x80\x80",  //
      "\xff",              // never in UTF-8
      "\xc3(",             // a lead without continuation
      "\xe4(\xa1",         //
  };
  for (const std::string& bytes : malformed) {
    for (size_t before = 0; before < 40; ++before) {
      const std::string ascii(before, 'a');
      EXPECT_FALSE(is_valid_utf8(ascii + bytes)) << before;
      EXPECT_FALSE(is_valid_utf8(ascii + bytes + " and more text after it")) << before;
      EXPECT_FALSE(is_valid_utf8(ascii + "中" + bytes + "中")) << before;
    }
  }
}

TEST(Utf8, TheFrontCharacterIsDecoded) {
  EXPECT_EQ(utf8_front("a"), U'a');
  EXPECT_EQ(utf8_front("ß!"), U'ß');
  EXPECT_EQ(utf8_front("中"), U'中');
  EXPECT_EQ(utf8_front("😀x"), U'😀');
  EXPECT_EQ(utf8_length("😀"[0]), 4u);
}

TEST(Utf8, CharactersAreWrittenAsTheyAreRead) {
  for (const char32_t character :
       {U'a', U'\x7f', U'\x80', U'\u07ff', U'\u0800', U'中', U'\uffff', U'\U00010000', U'😀'}) {
    std::string text;
    append_utf8(character, text);
    EXPECT_TRUE(is_valid_utf8(text));
    EXPECT_EQ(utf8_length(text[0]), text.size());
    EXPECT_EQ(utf8_front(text), character);
  }
}

TEST(Utf8, WrongBytesAreReplacedAndTheRestStays) {
  EXPECT_EQ(replace_invalid_utf8("plain, ä中😀"), "plain, ä中😀");
  EXPECT_EQ(replace_invalid_utf8("a\xff\x80z"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(replace_invalid_utf8("cut \xe4\xb8"), "cut \uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8(""), "");
}

}  // namespace
}  // namespace eatt
