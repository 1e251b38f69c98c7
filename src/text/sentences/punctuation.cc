#include "text/sentences/punctuation.h"

#include "base/text/unicode.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

bool contains(std::u32string_view set, char32_t code) { return set.find(code) != set.npos; }

constexpr std::u32string_view kSpacedEnds = U".!?\u2026\u203c\u203d\u2047\u2048\u2049";
// Arabic, Armenian, Devanagari, Myanmar, Ethiopic, Khmer, ideographic, full width, half width.
constexpr std::u32string_view kFullEnds =
    U"\u061f\u06d4\u0589\u0964\u0965\u104b\u1362\u1367\u17d4\u17d5\u3002\uff01\uff1f\uff0e\uff61";
constexpr std::u32string_view kClosingBrackets =
    U")]}\u3009\u300b\u3011\u3015\u3017\uff09\uff3d\uff5d";
constexpr std::u32string_view kOpeningBrackets =
    U"([{\u3008\u300a\u3010\u3014\u3016\uff08\uff3b\uff5b\u00bf\u00a1";
constexpr std::u32string_view kClosingQuotes = U"\u2019\u201d\u300d\u300f\uff63\u301f";
constexpr std::u32string_view kOpeningQuotes = U"\u201a\u201e\u300c\u300e\uff62\u301d";
constexpr std::u32string_view kOtherQuotes =
    U"\"'`\u2018\u201b\u201c\u201f\u00ab\u00bb\u2039\u203a";

}  // namespace

bool is_spaced_sentence_end(char32_t code) { return contains(kSpacedEnds, code); }
bool is_full_sentence_end(char32_t code) {
  return code >= 0x589 && contains(kFullEnds, code);  // The comparison spares most searches.
}
bool is_closing_bracket(char32_t code) { return contains(kClosingBrackets, code); }
bool is_opening_bracket(char32_t code) { return contains(kOpeningBrackets, code); }
bool is_closing_quote(char32_t code) { return contains(kClosingQuotes, code); }
bool is_opening_quote(char32_t code) { return contains(kOpeningQuotes, code); }

bool is_quote(char32_t code) {
  return is_closing_quote(code) || is_opening_quote(code) || contains(kOtherQuotes, code);
}

bool is_dash(char32_t code) { return code == U'-' || (code >= 0x2010 && code <= 0x2015); }

bool is_east_asian(char32_t code) { return script_of(code) == Script::east_asian; }

bool is_east_asian_punctuation(char32_t code) {
  return (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xff65);
}

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
