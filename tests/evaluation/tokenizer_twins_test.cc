// The one-pass scanners against the substitutions they stand for, one after the other.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/random.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "evaluation/tokenizers.h"

namespace eatt::evaluation {
namespace {

using Predicate = std::function<bool(char32_t)>;

std::u32string decode_all(std::string_view text) {
  std::u32string result;
  for (size_t at = 0; at < text.size(); at += decode_utf8(text, at).size)
    result += decode_utf8(text, at).code;
  return result;
}

std::u32string surround(const std::u32string& line, const Predicate& chosen) {
  std::u32string result;
  for (const char32_t c : line)
    result += chosen(c) ? U" " + std::u32string(1, c) + U" " : std::u32string(1, c);
  return result;
}

// Left to right, without overlap: "ab" with first(a) and second(b) becomes before + "a b" + after.
std::u32string substitute_pairs(const std::u32string& line, const Predicate& first,
                                const Predicate& second, const std::u32string& before,
                                const std::u32string& after) {
  std::u32string result;
  for (size_t i = 0; i < line.size(); ++i) {
    if (i + 1 < line.size() && first(line[i]) && second(line[i + 1])) {
      result += before;
      result += line[i];
      result += U' ';
      result += line[i + 1];
      result += after;
      ++i;
    } else {
      result += line[i];
    }
  }
  return result;
}

std::vector<std::u32string> split_spaces(const std::u32string& line) {
  std::vector<std::u32string> words(1);
  for (const char32_t c : line) {
    if (!is_python_space(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_stop(char32_t c) { return c == U'.' || c == U','; }

std::vector<std::u32string> western_twin(std::u32string line, bool padded) {
  if (padded) line = U" " + line + U" ";
  line = surround(line, [](char32_t c) {
    return std::u32string_view(U" !\"#$%&()*+/:;<=>?@[\\]^_`{|}~").find(c) !=
           std::u32string_view::npos;
  });
  line = substitute_pairs(line, std::not_fn(is_digit), is_stop, U"", U" ");
  line = substitute_pairs(line, is_stop, std::not_fn(is_digit), U" ", U"");
  line = substitute_pairs(
      line, is_digit, [](char32_t c) { return c == U'-'; }, U"", U" ");
  return split_spaces(line);
}

std::vector<std::u32string> international_twin(std::u32string line) {
  line = substitute_pairs(line, std::not_fn(is_number), is_punctuation, U"", U" ");
  line = substitute_pairs(line, is_punctuation, std::not_fn(is_number), U" ", U"");
  return split_spaces(surround(line, is_symbol));
}

std::vector<std::u32string> split(Tokenizer tokenizer, std::string_view line) {
  std::string scratch;
  std::vector<std::string_view> words;
  tokenize(tokenizer, line, scratch, words);
  std::vector<std::u32string> result;
  for (const std::string_view word : words) result.push_back(decode_all(word));
  return result;
}

std::string random_line(Random& random, const std::vector<std::string>& alphabet) {
  std::string line;
  for (size_t length = random.below(100); length > 0; --length) {
    line += alphabet[random.below(alphabet.size())];
  }
  return line;
}

TEST(TokenizerTwins, OnePassGivesTheWordsOfTheSubstitutions) {
  const std::vector<std::string> alphabet{"a",  "b", "5", "7",      ".", ",", "-", "'",      " ",
                                          "\"", "%", "é", "\u00a0", "—", "€", "½", "\u0301", "x"};
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string line = random_line(random, alphabet);
    const std::u32string code_points = decode_all(line);
    EXPECT_EQ(split(Tokenizer::v13a, line), western_twin(code_points, true)) << line;
    EXPECT_EQ(split(Tokenizer::intl, line), international_twin(code_points)) << line;
    const std::u32string chinese =
        surround(decode_all(strip(line)), [](char32_t c) { return c == U'—' || c == U'€'; });
    EXPECT_EQ(split(Tokenizer::zh, line), western_twin(chinese, false)) << line;
  }
}

}  // namespace
}  // namespace eatt::evaluation
