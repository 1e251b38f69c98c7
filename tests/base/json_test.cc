#include "base/text/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

const JsonOrigin kOrigin{"a.json", "write it again"};

void expect_refused(std::string_view text, const std::string& sentence,
                    const JsonLimits& limits = {}) {
  EXPECT_THAT([&] { parse_json(text, kOrigin, limits); },
              ThrowsMessage<Error>(StrEq("a.json: " + sentence + "; write it again")))
      << text;
}

TEST(ParseJson, ReadsWhatTheGrammarAllows) {
  const auto parsed = parse_json(R"({"a": [1, -2.5, "é", null, true], "b": {"a": 1}})", kOrigin);
  EXPECT_EQ(parsed["a"][2], "é");
  EXPECT_EQ(parsed["b"]["a"], 1);  // The same key in another object is no duplicate.
}

TEST(ParseJson, NamesTheByteWhereTheGrammarBreaks) {
  expect_refused("{\n  \"a\": oops}", "is not valid JSON at line 2, column 8 (byte 9)");
  expect_refused("{} {}", "is not valid JSON at line 1, column 4 (byte 3)");
  expect_refused("{\"a\": [1, 2", "its JSON ends too early, after byte 11");
  expect_refused("", "its JSON ends too early, after byte 0");
  expect_refused("1e999", "is a number that is too large for floating point");
  expect_refused("[1e999]", "[0]: is a number that is too large for floating point");
  expect_refused(R"({"a": {}, "b": [1, {"c": 2, "d e": -1e999}]})",
                 "b[1].'d e': is a number that is too large for floating point");
}

TEST(ParseJson, RefusesAKeyGivenTwice) {
  expect_refused(R"({"x": 1, "y": {"k": 1, "k": 2}})",
                 "gives 'k' twice in one JSON object, expected once");
}

TEST(ParseJson, RefusesWhatIsTooLargeTooDeepOrTooMuch) {
  expect_refused("[1,2,3]", "has 7 bytes of JSON, expected at most 6", {.max_bytes = 6});
  expect_refused("[[[1]]]", "has JSON nested deeper than 2 levels", {.max_depth = 2});
  EXPECT_NO_THROW(parse_json("[[1]]", kOrigin, {.max_depth = 2}));
  expect_refused("[1,2,3]", "has more than 3 JSON values", {.max_values = 3});
  // A million open brackets cost neither stack nor memory.
  expect_refused(std::string(1'000'000, '['), "has JSON nested deeper than 16 levels");
}

TEST(ParseJson, RefusesBytesThatAreNotText) {
  expect_refused("{\"a\": \"\xff\"}",
                 "byte 7 of the JSON is not UTF-8 (found '\\xff'), expected UTF-8 text");
  using namespace std::string_view_literals;
  expect_refused("{}\0 and more"sv, "byte 2 of the JSON is zero, expected text");
}

TEST(JsonNode, NamesThePathOfAWrongValue) {
  const auto parsed = parse_json(R"({"a": {"b": ["six", -1, 1.5, 7, {}]}, "x y": 1})", kOrigin);
  const JsonNode root(parsed, kOrigin);
  const auto items = root["a"]["b"].items();
  const auto refused = [&](const auto& act, const std::string& message) {
    EXPECT_THAT(act, ThrowsMessage<Error>(StrEq("a.json: " + message + "; write it again")));
  };
  refused([&] { items[0].integer(1, 9); },
          "a.b[0]: found \"six\", expected an integer from 1 to 9");
  refused([&] { items[1].integer(1, 9); }, "a.b[1]: found -1, expected an integer from 1 to 9");
  refused([&] { items[2].integer(0, UINT64_MAX); },
          "a.b[2]: found 1.5, expected an integer of at least 0");
  refused([&] { items[3].text(); }, "a.b[3]: found 7, expected a text");
  refused([&] { items[0].text(2); }, "a.b[0]: found \"six\", expected a text of at most 2 bytes");
  refused([&] { items[4].number(); }, "a.b[4]: found an object, expected a number");
  refused([&] { root["a"].items(); }, "a: found an object, expected an array");
  refused([&] { root["a"]["b"].members(); }, "a.b: found an array of length 5, expected an object");
  refused([&] { root["a"]["none"]; }, "a.none: is missing");
  refused(
      [&] {
        root.allow_only({"a", "b"});
      },
      "'x y': is a key that this version does not know, expected a, b");
  const std::array<std::string_view, 2> names = {"one", "two"};
  refused([&] { items[0].choice(names); }, "a.b[0]: found \"six\", expected one of one, two");
  refused([&] { root.fail("a list"); }, "found an object, expected a list");
}

TEST(InQuotes, AStrangersTextCanNeitherBreakTheLineNorSteerTheTerminal) {
  EXPECT_EQ(in_quotes("naïve 注意"), "'naïve 注意'");
  EXPECT_EQ(in_quotes("a\nb\x1b[2J\x7f"), "'a\\x0ab\\x1b[2J\\x7f'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\\x9b'");  // The one-character form of ESC [.
  EXPECT_EQ(in_quotes("\xe6\xb3"), "'\\xe6\\xb3'");
  EXPECT_LT(in_quotes(std::string(1000, 'x')).size(), 100u);
}

TEST(Printable, WhatTurnsOrHidesTextIsAControlCharacterToo) {
  for (const char* hidden :
       {"\u202e", "\u2066", "\u200b", "\u200d", "\u2028", "\ufeff", "\u00ad", "\U000e0041"}) {
    const std::string text = std::string("a") + hidden + "b";
    EXPECT_TRUE(has_control_characters(text)) << printable(text);
    EXPECT_THAT(printable(text), ::testing::StartsWith("a\\x"));
  }
  EXPECT_FALSE(has_control_characters("naïve 注意\u00a0— “x” ±½ 𝄞"));
  EXPECT_EQ(printable("naïve\x1b[31m \xff"), "naïve\\x1b[31m \\xff");
}

TEST(Printable, SpacesOfAnyKindAreBlank) {
  for (const char* blank : {"", "  ", "\u00a0", " \u2003\u3000"}) EXPECT_TRUE(is_blank(blank));
  for (const char* text : {"a", "\u00a0.", "注"}) EXPECT_FALSE(is_blank(text));
}

TEST(FirstInvalidUtf8, FindsOverlongFormsSurrogatesAndCutCharacters) {
  constexpr size_t kNone = std::string_view::npos;
  EXPECT_EQ(first_invalid_utf8("aé注😀\x7f"), kNone);
  EXPECT_EQ(first_invalid_utf8("\xf4\x8f\xbf\xbf"), kNone);  // U+10FFFF
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe6\xb3", "\xe6\xb3x", "\xff"}) {
    EXPECT_EQ(first_invalid_utf8(bad), 0u) << in_quotes(bad);
    EXPECT_EQ(first_invalid_utf8(std::string("é") + bad), 2u) << in_quotes(bad);
  }
}

}  // namespace
}  // namespace eatt
