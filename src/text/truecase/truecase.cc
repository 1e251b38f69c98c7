#include "text/truecase/truecase.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <istream>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"

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

namespace {

constexpr std::string_view kLineForm = "`word (count/total) other-form (count) …`";

// Copies `line`, handing each word's core and whether it begins a sentence to `recase`, which
// appends what replaces it.
template <typename Recase>
std::string recase_words(std::string_view line, TextForm form, const Recase& recase) {
  std::string out;
  out.reserve(line.size() + 8);
  SentenceStarts starts(form);
  WordScanner words(line);
  while (words.next()) {
    const WordParts parts = split_word(words.word(), form);
    out += words.gap();
    out += parts.opening;
    recase(parts.core, starts.at_start(), out);
    out += parts.closing;
    starts.pass(parts);
  }
  out += words.gap();
  return out;
}

bool is_count(std::string_view text) {
  double count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0;
}

bool is_parenthesised(std::string_view text) {
  return text.size() > 2 && text.front() == '(' && text.back() == ')';
}

// "(12)"
bool is_form_count(std::string_view text) {
  return is_parenthesised(text) && is_count(text.substr(1, text.size() - 2));
}

// "(12/15)"
bool is_best_count(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && is_parenthesised(text) &&
         is_count(text.substr(1, slash - 1)) &&
         is_count(text.substr(slash + 1, text.size() - slash - 2));
}

[[noreturn]] void refuse(const std::string& where, std::string_view found) {
  throw Error(fmt::format(
      "{}: found {}, expected {}; give a model made by `eatt corpus truecase train` or by Moses",
      where, found, kLineForm));
}

}  // namespace

Truecaser::Truecaser(const std::filesystem::path& model_file, TextForm form) : form_(form) {
  std::ifstream file(model_file, std::ios::binary);
  if (!file) {
    throw Error(fmt::format("{}: cannot be opened: {}; make it with `eatt corpus truecase train`",
                            model_file.string(), system_message(errno)));
  }
  read(file, model_file.string());
}

Truecaser::Truecaser(std::istream& model, const std::string& name, TextForm form) : form_(form) {
  read(model, name);
}

void Truecaser::read(std::istream& model, const std::string& name) {
  std::string line;
  for (size_t number = 1; std::getline(model, line); ++number) {
    read_line(line, fmt::format("{}: line {}", name, number));
  }
  if (model.bad()) throw Error(fmt::format("{}: cannot be read: {}", name, system_message(errno)));
}

void Truecaser::read_line(std::string_view line, const std::string& where) {
  if (!is_valid_utf8(line)) refuse(where, "bytes that are not UTF-8");
  WordScanner fields(line);
  if (!fields.next()) refuse(where, "an empty line");
  const std::string best(fields.word());
  if (!fields.next()) refuse(where, fmt::format("'{}' without a count", best));
  if (!is_best_count(fields.word())) refuse(where, fmt::format("the count '{}'", fields.word()));
  // Of two lines for one word the later is taken, as Moses does.
  best_[lower_case(best)] = best;
  known_.insert(best);
  while (fields.next()) {
    const std::string form(fields.word());
    if (!fields.next()) refuse(where, fmt::format("'{}' without a count", form));
    if (!is_form_count(fields.word())) refuse(where, fmt::format("the count '{}'", fields.word()));
    known_.insert(form);
  }
}

std::string Truecaser::apply(std::string_view line) const {
  return recase_words(line, form_, [this](std::string_view word, bool at_start, std::string& out) {
    append_recased(word, at_start, out);
  });
}

void Truecaser::append_recased(std::string_view word, bool at_start, std::string& out) const {
  if (!at_start && known_.contains(word)) {
    out += word;
    return;
  }
  const auto best = best_.find(lower_case(word));
  out += best == best_.end() ? word : std::string_view(best->second);
}

std::string undo_truecase(std::string_view line, TextForm form) {
  return recase_words(line, form, [](std::string_view word, bool at_start, std::string& out) {
    if (at_start) {
      append_capitalized(word, out);
    } else {
      out += word;
    }
  });
}

}  // namespace eatt
