#include "runtime/api/split_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/pieces/script.h"

namespace eatt {
namespace {

constexpr std::u32string_view kSpacedSentenceEnds = U".!?;\u2026\u037e\u06d4\u061f\u0964\u0965";
constexpr std::u32string_view kFullSentenceEnds = U"\u3002\uff01\uff1f\uff1b\uff61\uff0e";
constexpr std::u32string_view kSpacedClauseEnds = U",:\u2013\u2014\u060c\u061b";
constexpr std::u32string_view kFullClauseEnds = U"\uff0c\u3001\uff1a\uff64";
constexpr std::u32string_view kClosers =
    U"\"')]}\u2019\u201d\u00bb\u203a\u300d\u300f\u3011\u300b\u3009\uff09\uff3d\uff5d";

bool contains(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

bool is_letter(char32_t c) {
  const Script script = script_of(c);
  return script != Script::common && script != Script::any;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_white_space(utf8_front(text)))
    text.remove_prefix(utf8_length(text[0]));
  for (;;) {
    size_t last = text.size();
    while (last > 0 && (text[--last] & 0xc0) == 0x80) {
    }
    if (text.empty() || !is_white_space(utf8_front(text.substr(last)))) return text;
    text = text.substr(0, last);
  }
}

// Walks over a text and says where it may be cut.
class CutFinder {
 public:
  CutFinder(std::u32string_view spaced_ends, std::u32string_view full_ends, bool knows_initials)
      : spaced_ends_(spaced_ends), full_ends_(full_ends), knows_initials_(knows_initials) {}

  // Takes the next character; true if the text may be cut before it.
  bool cut_before(char32_t c) {
    const bool closes = state_ != State::inside && contains(kClosers, c);
    if (closes) return false;
    const bool cut = (state_ == State::after_full_end && !is_end(c)) ||
                     (state_ == State::after_end && is_white_space(c));
    pass(c);
    return cut;
  }

 private:
  enum class State { inside, after_end, after_full_end };

  bool is_end(char32_t c) const { return contains(spaced_ends_, c) || contains(full_ends_, c); }

  void pass(char32_t c) {
    if (contains(full_ends_, c)) {
      state_ = State::after_full_end;
    } else if (contains(spaced_ends_, c)) {
      const bool initial =
          knows_initials_ && c == U'.' && word_length_ == 1 && is_letter(last_character_);
      if (!initial && state_ == State::inside) state_ = State::after_end;
    } else {
      state_ = State::inside;
    }
    word_length_ = is_white_space(c) ? 0 : word_length_ + 1;
    last_character_ = c;
  }

  std::u32string_view spaced_ends_, full_ends_;
  bool knows_initials_;
  State state_ = State::inside;
  size_t word_length_ = 0;  // Characters since the last white space.
  char32_t last_character_ = 0;
};

std::vector<std::string_view> cut_text(std::string_view text, CutFinder finder) {
  std::vector<std::string_view> segments;
  const auto add = [&](std::string_view segment) {
    segment = trim(segment);
    if (!segment.empty()) segments.push_back(segment);
  };
  size_t start = 0;
  for (size_t at = 0; at < text.size(); at += utf8_length(text[at])) {
    if (!finder.cut_before(utf8_front(text.substr(at)))) continue;
    add(text.substr(start, at - start));
    start = at;
  }
  add(text.substr(start));
  return segments;
}

// Where to cut `text` so that about `wanted` bytes come before: at white space if there is some in
// the second half of them, else between characters; behind the first character at least.
size_t hard_cut(std::string_view text, size_t wanted) {
  const auto border = [&](size_t at) {
    while (at > 0 && at < text.size() && (text[at] & 0xc0) == 0x80) --at;
    return at;
  };
  if (wanted >= text.size()) return text.size();
  for (size_t at = border(wanted); at > wanted / 2; at = border(at - 1)) {
    if (at < text.size() && is_white_space(utf8_front(text.substr(at)))) return at;
  }
  size_t at = border(wanted);
  constexpr int kMostMarks = 8;  // On one letter, in real text.
  for (int marks = 0; marks < kMostMarks && at > 0 && at < text.size() &&
                      script_of(utf8_front(text.substr(at))) == Script::any;
       ++marks) {
    at = border(at - 1);
  }
  if (at == 0) at = border(wanted);
  return at == 0 ? utf8_length(text[0]) : at;
}

class Splitter {
 public:
  Splitter(size_t most, const CountPieces& count) : most_(most), count_(count) {}

  std::vector<std::string_view> split(std::string_view text) {
    if (count_(text) <= most_) return {text};
    for (const auto sentence :
         cut_text(text, {kSpacedSentenceEnds, kFullSentenceEnds, /*knows_initials=*/true})) {
      split_sentence(sentence);
    }
    return std::move(parts_);
  }

 private:
  void split_sentence(std::string_view sentence) {
    if (count_(sentence) <= most_) return parts_.push_back(sentence);
    std::string_view together;
    size_t pieces = 0;
    for (const auto clause : cut_text(sentence, {kSpacedClauseEnds, kFullClauseEnds, false})) {
      const size_t more = count_(clause);
      if (pieces + more > most_ && !together.empty()) {
        split_hard(together);
        together = {};
        pieces = 0;
      }
      const char* start = together.empty() ? clause.data() : together.data();
      together = {start, static_cast<size_t>(clause.data() + clause.size() - start)};
      pieces += more;
    }
    if (!together.empty()) split_hard(together);
  }

  void split_hard(std::string_view text) {
    const size_t pieces = count_(text);
    if (pieces <= most_) return parts_.push_back(text);
    if (text.size() == utf8_length(text[0])) {
      throw Error(fmt::format(
          "the character '{}' takes {} pieces, but an input may have {}; allow longer ones", text,
          pieces, most_));
    }
    const size_t parts = (pieces + most_ - 1) / most_;
    const size_t wanted = (text.size() + parts - 1) / parts;
    while (!text.empty()) {
      const size_t size = hard_cut(text, wanted);
      split_hard(trim(text.substr(0, size)));
      text = trim(text.substr(size));
    }
  }

  size_t most_;
  const CountPieces& count_;
  std::vector<std::string_view> parts_;
};

}  // namespace

std::vector<std::string_view> split_text(std::string_view text, size_t most,
                                         const CountPieces& count) {
  return Splitter(most, count).split(text);
}

bool joins_without_space(std::string_view text) {
  if (text.empty()) return false;
  size_t last = text.size();
  while (last > 0 && (text[--last] & 0xc0) == 0x80) {
  }
  const char32_t c = utf8_front(text.substr(last));
  const bool punctuation = (c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xff65);
  return punctuation || script_of(c) == Script::east_asian;
}

}  // namespace eatt
