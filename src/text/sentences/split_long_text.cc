#include <fmt/format.h>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/sentences/punctuation.h"
#include "text/sentences/sentences.h"

namespace eatt {
namespace {

// Marks after which a text may be cut where white space follows, and whatever follows.
struct CutMarks {
  std::u32string_view spaced, full;
  bool of_sentences;  // Besides these, marks that end sentences.

  bool has_spaced(char32_t c) const {
    return spaced.find(c) != spaced.npos || (of_sentences && is_spaced_sentence_end(c));
  }
  bool has_full(char32_t c) const {
    return full.find(c) != full.npos || (of_sentences && is_full_sentence_end(c));
  }
};

constexpr CutMarks kSentenceMarks = {U";\u037e", U"\uff1b", true};
constexpr CutMarks kClauseMarks = {U",:\u2013\u2014\u060c\u061b", U"\uff0c\u3001\uff1a\uff64",
                                   false};

bool closes(char32_t c) {
  return is_closing_bracket(c) || is_closing_quote(c) || c == U'"' || c == U'\'' ||
         c == U'\u00bb' || c == U'\u203a';
}

// Walks over a text and says where it may be cut.
class CutFinder {
 public:
  explicit CutFinder(const CutMarks& marks) : marks_(marks) {}

  // Takes the next character; true if the text may be cut before it.
  bool cut_before(char32_t c) {
    if (state_ != State::inside && closes(c)) return false;
    const bool is_end = marks_.has_spaced(c) || marks_.has_full(c);
    const bool cut = (state_ == State::after_full_end && !is_end) ||
                     (state_ == State::after_end && is_white_space(c));
    pass(c);
    return cut;
  }

 private:
  enum class State { inside, after_end, after_full_end };

  void pass(char32_t c) {
    if (marks_.has_full(c)) {
      state_ = State::after_full_end;
    } else if (marks_.has_spaced(c)) {
      const bool initial = c == U'.' && word_length_ == 1 && is_letter(last_character_);
      if (!initial && state_ == State::inside) state_ = State::after_end;
    } else {
      state_ = State::inside;
    }
    word_length_ = is_white_space(c) ? 0 : word_length_ + 1;
    last_character_ = c;
  }

  const CutMarks& marks_;
  State state_ = State::inside;
  size_t word_length_ = 0;  // Characters since the last white space.
  char32_t last_character_ = 0;
};

std::vector<std::string_view> cut_text(std::string_view text, const CutMarks& marks) {
  CutFinder finder(marks);
  std::vector<std::string_view> segments;
  const auto add = [&](std::string_view segment) {
    segment = strip(segment);
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

  std::vector<std::string_view> split(std::string_view text, const SentenceSplitter& splitter) {
    if (count_(text) <= most_) return {text};
    for (const TextRange range : splitter.split(text)) {
      const std::string_view sentence = range.of(text);
      if (count_(sentence) <= most_) {
        parts_.push_back(sentence);
        continue;
      }
      for (const auto part : cut_text(sentence, kSentenceMarks)) split_sentence(part);
    }
    return std::move(parts_);
  }

 private:
  void split_sentence(std::string_view sentence) {
    if (count_(sentence) <= most_) return parts_.push_back(sentence);
    std::string_view together;
    size_t pieces = 0;
    for (const auto clause : cut_text(sentence, kClauseMarks)) {
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
      split_hard(strip(text.substr(0, size)));
      text = strip(text.substr(size));
    }
  }

  size_t most_;
  const CountPieces& count_;
  std::vector<std::string_view> parts_;
};

}  // namespace

std::vector<std::string_view> split_long_text(std::string_view text, size_t most,
                                              const CountPieces& count,
                                              const SentenceSplitter& splitter) {
  return Splitter(most, count).split(text, splitter);
}

}  // namespace eatt
