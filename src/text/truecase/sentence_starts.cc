#include "text/truecase/sentence_starts.h"

#include <algorithm>
#include <array>

#include "base/text/letter_case.h"
#include "base/text/unicode.h"

namespace eatt {
namespace {

constexpr std::string_view kSentenceEnds = ".:?!";

// Moses' tokenizer writes quotes and square brackets as entities. Its closing bracket counts as an
// opener there, and so it does here.
constexpr std::array<std::string_view, 8> kOpeners = {"(",      "[",      "\"",    "'",
                                                      "&apos;", "&quot;", "&#91;", "&#93;"};

// What may stick to the front and to the back of a word in raw text. Quotes are in both: „so“ in
// German, “so” in English, »so« or «so» elsewhere.
constexpr std::array<std::string_view, 21> kOpeningMarks = {"(", "[", "{", "\"", "'", "“", "”",
                                                            "„", "‘", "’", "‚",  "«", "»", "‹",
                                                            "›", "¿", "¡", "-",  "–", "—", "•"};
constexpr std::array<std::string_view, 20> kClosingMarks = {".", ",", ";", ":",  "?", "!", "…",
                                                            ")", "]", "}", "\"", "'", "“", "”",
                                                            "‘", "’", "«", "»",  "‹", "›"};

size_t opening_mark_bytes(std::string_view word) {
  for (const std::string_view mark : kOpeningMarks) {
    if (word.starts_with(mark)) return mark.size();
  }
  return 0;
}

size_t closing_mark_bytes(std::string_view word) {
  for (const std::string_view mark : kClosingMarks) {
    if (word.ends_with(mark)) return mark.size();
  }
  return 0;
}

// After "J.", "U.S.", "e.g." and the German ordinal "18." the sentence goes on. Where it does end
// there, the next word merely keeps its case.
bool is_abbreviated(std::string_view core) {
  return core.size() == 1 || core.find('.') != std::string_view::npos ||
         (core.size() == 2 && core.find_first_not_of("0123456789") == std::string_view::npos);
}

bool raw_word_ends_sentence(const WordParts& word) {
  const std::string_view marks = word.core.empty() ? word.opening : word.closing;
  if (marks.find_first_of(",;") != std::string_view::npos) return false;  // "Inc., which …"
  if (marks.find_first_of(":?!") != std::string_view::npos) return true;
  return marks.find('.') != std::string_view::npos && !is_abbreviated(word.core);
}

}  // namespace

bool WordScanner::next() {
  size_t gap = 0;
  while (const size_t bytes = leading_space_bytes(rest_.substr(gap))) gap += bytes;
  gap_ = rest_.substr(0, gap);
  rest_.remove_prefix(gap);
  size_t end = 0;
  while (end < rest_.size() && leading_space_bytes(rest_.substr(end)) == 0) ++end;
  word_ = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return end > 0;
}

WordParts split_word(std::string_view word, TextForm form) {
  if (form == TextForm::tokenized) return {{}, word, {}};
  size_t begin = 0;
  while (const size_t bytes = opening_mark_bytes(word.substr(begin))) begin += bytes;
  size_t end = word.size();
  while (const size_t bytes = closing_mark_bytes(word.substr(begin, end - begin))) end -= bytes;
  if (begin == end) return {word, {}, {}};
  return {word.substr(0, begin), word.substr(begin, end - begin), word.substr(end)};
}

bool ends_sentence(std::string_view token) {
  return token.size() == 1 && kSentenceEnds.find(token[0]) != std::string_view::npos;
}

bool opens_sentence(std::string_view token) {
  return std::find(kOpeners.begin(), kOpeners.end(), token) != kOpeners.end();
}

void SentenceStarts::pass(const WordParts& word) {
  const bool is_end =
      form_ == TextForm::raw ? raw_word_ends_sentence(word) : ends_sentence(word.core);
  const bool is_transparent =
      form_ == TextForm::raw ? word.core.empty() : opens_sentence(word.core);
  at_start_ = is_end || (at_start_ && is_transparent);
}

}  // namespace eatt
