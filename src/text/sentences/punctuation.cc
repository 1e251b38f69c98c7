#include "text/sentences/punctuation.h"

#include "text/pieces/script.h"

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

}  // namespace eatt
