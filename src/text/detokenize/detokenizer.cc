#include "text/detokenize/detokenizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/sentences/punctuation.h"
#include "text/sentences/sentences.h"

namespace eatt {

struct Detokenizer::Token {
  std::string text;
  bool joins_left = false;   // No space before it.
  bool joins_right = false;  // No space behind it.
};

// Which quotes are open, of those that open and close with the same sign.
struct Detokenizer::OpenQuotes {
  bool straight = false, single = false, pointed = false;
};

namespace {

using Names = std::initializer_list<std::string_view>;
bool is_one_of(std::string_view text, Names names) {
  return std::ranges::find(names, text) != names.end();
}

// What Moses and the Penn Treebank write for characters that mean something to their tools.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kEscapes = {{
    {"&apos;", "'"},
    {"&quot;", "\""},
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&#91;", "["},
    {"&#93;", "]"},
    {"&#124;", "|"},
    {"&bar;", "|"},
    {"-LRB-", "("},
    {"-RRB-", ")"},
    {"-LSB-", "["},
    {"-RSB-", "]"},
}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string unescaped(std::string_view token) {
  std::string text(token);
  if (text.find_first_of("&-") == text.npos) return text;
  for (const auto& [escape, character] : kEscapes) replace_all(text, escape, character);
  replace_all(text, "&amp;", "&");  // Last: "&amp;lt;" is the text "&lt;".
  return text;
}

char32_t first_of(std::string_view text) { return decode_utf8(text, 0).code; }
char32_t last_of(std::string_view text) { return decode_utf8_before(text, text.size()).code; }

template <typename Is>
bool all_characters(std::string_view text, Is&& is) {
  for (size_t at = 0; at < text.size();) {
    const auto [code, size] = decode_utf8(text, at);
    if (!is(code)) return false;
    at += size;
  }
  return true;
}

// "'s" of "Tom's" and the like; a word behind an apostrophe may also be quoted.
bool is_contraction(std::string_view token) {
  const size_t apostrophe = decode_utf8(token, 0).size;
  const std::string rest = lower_case(token.substr(apostrophe));
  return is_one_of(rest, {"s", "re", "ve", "ll", "d", "m", "t", "em", "n", "hui"});
}

bool is_apostrophe(char32_t code) { return code == U'\'' || code == U'\u2019'; }

bool is_wide(char32_t code) { return is_east_asian(code) || is_east_asian_punctuation(code); }

}  // namespace

Detokenizer::Detokenizer(std::string_view language) : language_(primary_language(language)) {}

std::string Detokenizer::detokenize(std::string_view text) const {
  std::vector<Token> tokens = tokens_of(text);
  OpenQuotes quotes;
  for (size_t i = 0; i < tokens.size(); ++i) {
    attach(tokens[i], i > 0 ? &tokens[i - 1] : nullptr,
           i + 1 < tokens.size() ? &tokens[i + 1] : nullptr, quotes);
  }
  std::string plain;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && has_space(tokens[i - 1], tokens[i])) plain += ' ';
    plain += tokens[i].text;
  }
  return plain;
}

std::vector<Detokenizer::Token> Detokenizer::tokens_of(std::string_view text) const {
  std::vector<Token> tokens;
  for (size_t at = skip_white_space(text, 0); at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && leading_space_bytes(text.substr(at)) == 0) {
      at += decode_utf8(text, at).size;
    }
    tokens.push_back({unescaped(text.substr(begin, at - begin))});
    at = skip_white_space(text, at);
  }
  return tokens;
}

void Detokenizer::attach(Token& token, const Token* before, const Token* after,
                         OpenQuotes& quotes) const {
  std::string& text = token.text;
  if (text.size() > 2 && text.starts_with('@') && text.ends_with('@')) {  // "@-@"
    text = text.substr(1, text.size() - 2);
    token.joins_left = token.joins_right = true;
  } else if (attach_quote(token, quotes)) {
    return;
  } else if (closes_up(text)) {
    token.joins_left = true;
  } else if (all_characters(text, is_opening_bracket)) {
    token.joins_right = true;
  } else if (is_one_of(text, {"$", "£", "¥", "#"}) ||
             (text == "€" && is_one_of(language_, {"en", "nl", ""}))) {
    token.joins_right = after != nullptr && is_number(first_of(after->text));
  } else {
    attach_apostrophe(token, before, quotes);
  }
}

// Marks that follow a word without a space.
bool Detokenizer::closes_up(std::string_view mark) const {
  if (language_ == "fr" && all_characters(mark, [](char32_t c) {
        return c == U'!' || c == U'?' || c == U';' || c == U':';
      })) {
    return false;
  }
  if (language_ == "de" && is_one_of(mark, {"...", "…"})) return false;
  if (mark == "%") return !is_one_of(language_, {"fr", "de", "cs", "sk", "sv", "fi", "nb", "ru"});
  return all_characters(mark, [](char32_t c) {
    constexpr std::u32string_view kMarks = U",;:\u060c\u061b\u3001\uff0c\uff1a\uff1b\uff05";
    return is_sentence_end(c) || is_closing_bracket(c) || kMarks.find(c) != kMarks.npos;
  });
}

// "n't", "'s", "l'", "-t-il", and the apostrophe that stands alone.
void Detokenizer::attach_apostrophe(Token& token, const Token* before, OpenQuotes& quotes) const {
  const std::string& text = token.text;
  if (is_one_of(text, {"'", "\u2019"})) {
    const bool possessive = before != nullptr && before->text.ends_with('s') && !quotes.single;
    token.joins_left = possessive || quotes.single || text == "\u2019";
    token.joins_right = !token.joins_left;
    if (text == "'" && !possessive) quotes.single = !quotes.single;
    return;
  }
  const size_t first = decode_utf8(text, 0).size;
  const bool goes_on = first < text.size() && is_letter(decode_utf8(text, first).code);
  token.joins_left = is_one_of(text, {"n't", "N'T", "n\u2019t"}) ||
                     (is_apostrophe(first_of(text)) && is_contraction(text)) ||
                     (language_ == "fr" && text.starts_with('-') && goes_on);
  token.joins_right = is_one_of(language_, {"fr", "it", "ca", "pt", "es"}) &&
                      is_apostrophe(last_of(text)) && is_letter(first_of(text));
}

// Sets how a quotation mark is attached; false if the token is none.
bool Detokenizer::attach_quote(Token& token, OpenQuotes& quotes) const {
  std::string& text = token.text;
  const auto open = [&](bool opens) { (opens ? token.joins_right : token.joins_left) = true; };
  if (text == "``" || text == "''") {
    open(text == "``");
    quotes.straight = text == "``";
    text = "\"";
  } else if (text == "\"") {
    open(!quotes.straight);
    quotes.straight = !quotes.straight;
  } else if (text == "“") {
    open(!is_one_of(language_, {"de", "cs", "sk", "sl", "hr", "bg", "et", "lt", "is"}));
  } else if (text == "«" || text == "»" || text == "‹" || text == "›") {
    if (language_ == "fr") return true;  // Spaces on both sides.
    const bool reversed = is_one_of(language_, {"de", "da", "cs", "sl", "hr"});
    open(reversed ? !quotes.pointed : text == "«" || text == "‹");
    quotes.pointed = !quotes.pointed;
  } else if (text == "‘" || all_characters(text, is_opening_quote)) {
    open(true);
  } else if (text != "\u2019" && all_characters(text, is_closing_quote)) {
    open(false);
  } else {
    return false;
  }
  return true;
}

bool Detokenizer::has_space(const Token& left, const Token& right) const {
  if (left.joins_right || right.joins_left) return false;
  const bool wide_left = is_wide(last_of(left.text)), wide_right = is_wide(first_of(right.text));
  const bool east_asian = language_ == "zh" || language_ == "ja";
  return !(wide_left && wide_right) && !(east_asian && (wide_left || wide_right));
}

}  // namespace eatt
