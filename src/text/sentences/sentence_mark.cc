#include "text/sentences/sentence_mark.h"

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/sentences/punctuation.h"

namespace eatt {
namespace {

constexpr std::string_view kEscapedQuote = "&quot;";
constexpr char32_t kLowQuote = 0x201e;   // „
constexpr char32_t kHighQuote = 0x201c;  // “: closes „, else opens.

class MarkReader {
 public:
  MarkReader(std::string_view text, size_t at, OpenQuotes& quotes) : text_(text), quotes_(quotes) {
    mark_.begin = mark_.end = at;
  }

  SentenceMark read() {
    for (;;) {
      while (take_end(mark_.end) || take_closer(mark_.end)) {
      }
      const size_t next = skip_white_space(text_, mark_.end);
      if (next == mark_.end || next == text_.size()) return mark_;
      if (!(ends_stand_alone(next) && take_end(next)) && !take_lone_closer(next)) return mark_;
    }
  }

 private:
  bool take_end(size_t at) {
    if (at == text_.size()) return false;
    const auto [code, size] = decode_utf8(text_, at);
    if (!is_sentence_end(code)) return false;
    mark_.is_full = mark_.is_full || is_full_sentence_end(code);
    if (code == U'.' || code == U'\u2026') {
      mark_.points += code == U'.' ? 1 : 3;
    } else {
      mark_.is_question = true;
    }
    mark_.end = at + size;
    mark_.last = code;
    return true;
  }

  bool take_closer(size_t at) {
    if (at == text_.size()) return false;
    const char32_t code = decode_utf8(text_, at).code;
    const bool straight = is_straight_quote(at);
    // Behind 。 the next sentence may begin at once, so that only what cannot open closes there.
    const bool closes = straight && mark_.is_full ? quotes_.straight
                        : mark_.is_full           ? is_closing_quote(code)
                                        : straight || (is_quote(code) && !is_opening_quote(code));
    if (!closes && !is_closing_bracket(code)) return false;
    take(at, /*quote=*/closes);
    return true;
  }

  // A token of its own in tokenized text: . " or . ''
  bool take_lone_closer(size_t at) {
    const char32_t code = decode_utf8(text_, at).code;
    const bool doubled = text_.substr(at, 2) == "''";
    const size_t size = is_straight_quote(at) ? OpenQuotes().pass(text_, at)
                        : doubled             ? 2
                                              : decode_utf8(text_, at).size;
    if (!divides_at(at + size)) return false;
    const bool quote = doubled || (is_straight_quote(at) && quotes_.straight) ||
                       (code == kHighQuote && quotes_.low) || code == U'\u00bb' ||
                       is_closing_quote(code);
    if (!quote && !is_closing_bracket(code)) return false;
    take(at, quote);
    if (doubled) mark_.end = at + 2;
    return true;
  }

  void take(size_t at, bool quote) {
    mark_.last = decode_utf8(text_, at).code;
    mark_.closes_quote = mark_.closes_quote || quote;
    mark_.end = at + quotes_.pass(text_, at);
  }

  // Whether the marks at `at` are a token of their own, and not the front of ".NET" or "...and".
  bool ends_stand_alone(size_t at) const {
    const size_t begin = at;
    while (at < text_.size()) {
      const auto [code, size] = decode_utf8(text_, at);
      if (!is_sentence_end(code)) break;
      at += size;
    }
    return at > begin && divides_at(at);
  }

  // Whether no letter or digit follows at once.
  bool divides_at(size_t at) const {
    if (at >= text_.size()) return true;
    const char32_t code = decode_utf8(text_, at).code;
    return is_white_space(code) || is_punctuation(code);
  }

  bool is_straight_quote(size_t at) const {
    return text_[at] == '"' || text_.substr(at).starts_with(kEscapedQuote);
  }

  std::string_view text_;
  OpenQuotes& quotes_;
  SentenceMark mark_;
};

}  // namespace

size_t OpenQuotes::pass(std::string_view text, size_t at) {
  const auto [code, size] = decode_utf8(text, at);
  const bool escaped = code == U'&' && text.substr(at).starts_with(kEscapedQuote);
  if (code == U'"' || escaped) straight = !straight;
  if (code == kLowQuote) low = true;
  if (code == kHighQuote || code == U'\u201d') low = false;
  return escaped ? kEscapedQuote.size() : size;
}

SentenceMark read_sentence_mark(std::string_view text, size_t at, OpenQuotes& quotes) {
  return MarkReader(text, at, quotes).read();
}

size_t skip_white_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    const size_t size = leading_space_bytes(text.substr(at));
    if (size == 0) break;
    at += size;
  }
  return at;
}

}  // namespace eatt
