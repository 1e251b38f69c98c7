#include "markup/placeholders.h"

#include <algorithm>
#include <array>

#include "base/text/unicode.h"
#include "base/text/utf8.h"

namespace eatt::markup {
namespace {

constexpr size_t kNone = 0;           // Bytes of what is no placeholder.
constexpr size_t kLongestName = 200;  // Bytes between the signs of a variable, tag or code.

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_ascii_letter(c) || is_digit(c) || c == '_'; }
bool is_among(char c, std::string_view set) { return set.find(c) != set.npos; }

size_t count_while(std::string_view text, size_t at, bool (*belongs)(char)) {
  size_t count = 0;
  while (at + count < text.size() && belongs(text[at + count])) ++count;
  return count;
}

// Up to the sign that closes, on one line and not too far away; else nothing.
size_t enclosed(std::string_view text, size_t begin, std::string_view close) {
  const std::string_view near = text.substr(begin, kLongestName);
  const size_t end = near.find(close);
  if (end == near.npos || end == 0) return kNone;
  if (near.substr(0, end).find_first_of("\n\r") != near.npos) return kNone;
  return begin + end + close.size();
}

// {name}, {{name}}, {0}, {count, plural, one {# file} other {# files}}
size_t braces(std::string_view text) {
  size_t depth = 0;
  const size_t most = std::min(text.size(), kLongestName);
  for (size_t at = 0; at < most; ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at + 1;
    if (text[at] == '\n') return kNone;
  }
  return kNone;
}

// ${name}, $(name)
size_t shell_variable(std::string_view text) {
  if (text.starts_with("${")) return enclosed(text, 2, "}");
  if (text.starts_with("$(")) return enclosed(text, 2, ")");
  return kNone;
}

// The rest of %-5.2f behind its sign; `at` is behind an argument's number or name.
size_t conversion(std::string_view text, size_t at) {
  at += count_while(text, at, [](char c) { return is_among(c, "-+#0'"); });
  at += count_while(text, at, [](char c) { return is_digit(c) || c == '*'; });
  if (at < text.size() && text[at] == '.') {
    at += 1 + count_while(text, at + 1, [](char c) { return is_digit(c) || c == '*'; });
  }
  at += count_while(text, at, [](char c) { return is_among(c, "hlLqjzt"); });
  if (at >= text.size() || !is_among(text[at], "diouxXeEfFgGaAcsSpn@")) return kNone;
  ++at;
  // "100 %solution" is a word.
  return at < text.size() && is_name(text[at]) ? kNone : at;
}

// %s, %1$s, %(name)s, %{name}, %name%, %%
size_t percent(std::string_view text) {
  if (text.starts_with("%%")) return 2;
  if (text.starts_with("%{")) return enclosed(text, 2, "}");
  if (text.starts_with("%(")) {
    const size_t name = enclosed(text, 2, ")");
    return name == kNone ? kNone : conversion(text, name);
  }
  const size_t digits = count_while(text, 1, is_digit);
  if (digits > 0 && 1 + digits < text.size() && text[1 + digits] == '$') {
    return conversion(text, digits + 2);
  }
  const size_t name = count_while(text, 1, is_name);
  if (name > 1 && 1 + name < text.size() && text[1 + name] == '%') return name + 2;
  return conversion(text, 1);
}

// <x id="1"/>: a tag that closes itself.
size_t empty_tag(std::string_view text) {
  if (text.size() < 2 || !is_ascii_letter(text[1])) return kNone;
  const size_t end = text.substr(0, kLongestName).find('>');
  if (end == text.npos || text[end - 1] != '/' || text.substr(1, end).find('<') != text.npos) {
    return kNone;
  }
  return end + 1;
}

// `code`, ``code``, ```code```; `text` begins with the first tick of a run.
size_t back_ticks(std::string_view text) {
  const size_t ticks = count_while(text.substr(0, 4), 0, [](char c) { return c == '`'; });
  return ticks > 3 ? kNone : enclosed(text, ticks, text.substr(0, ticks));
}

// Where an address ends: at white space or a sign that addresses do not have, and without the
// punctuation of the sentence. A bracket belongs to it if it was opened in it.
size_t address_end(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size()) {
    const Utf8Character character = decode_utf8(text, end);
    const bool is_plain = character.code < 0x80 && character.code > 0x20 &&
                          !is_among(static_cast<char>(character.code), "<>\"`{}|\\^");
    const bool is_word = character.code >= 0x80 && is_letter(character.code) &&
                         script_of(character.code) != Script::east_asian;
    if (!is_plain && !is_word) break;
    end += character.size;
  }
  const std::string_view address = text.substr(begin, end - begin);
  auto unopened = std::ranges::count(address, ')') - std::ranges::count(address, '(');
  for (; end > begin; --end) {
    const char last = text[end - 1];
    if (!is_among(last, ".,;:!?'*_]") && !(last == ')' && unopened-- > 0)) break;
  }
  return end;
}

// https://…, ftp://…, www.…, mailto:…
size_t web_address(std::string_view text) {
  constexpr std::array<std::string_view, 7> kStarts = {"https://", "http://", "ftp://", "ftps://",
                                                       "file://",  "www.",    "mailto:"};
  for (const std::string_view start : kStarts) {
    if (lower_case(text.substr(0, start.size())) != start) continue;
    const size_t end = address_end(text, start.size());
    return end == start.size() ? kNone : end;
  }
  return kNone;
}

bool is_local_part(char c) { return is_name(c) || is_among(c, ".+-%"); }
bool is_domain(char c) { return is_name(c) || is_among(c, ".-"); }

// Reads placeholders from left to right.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  std::vector<TextRange> run() {
    for (size_t at = 0; at < text_.size();) {
      size_t size = at_sign(at);
      if (size == kNone && begins_word(at)) size = word(at);
      if (size == kNone) {
        ++at;
        continue;
      }
      found_.push_back({at, at + size});
      at += size;
    }
    return std::move(found_);
  }

 private:
  size_t at_sign(size_t at) const {
    const std::string_view rest = text_.substr(at);
    switch (rest.front()) {
      case '{':
        return braces(rest);
      case '$':
        return shell_variable(rest);
      case '%':
        return percent(rest);
      case '<':
        return empty_tag(rest);
      case '`':
        return is_inside_run(at) ? kNone : back_ticks(rest);
      default:
        return kNone;
    }
  }

  // Of back ticks: a run is code from its first tick on, or not at all.
  bool is_inside_run(size_t at) const {
    return at > 0 && text_[at - 1] == '`' && (found_.empty() || found_.back().end != at);
  }

  bool begins_word(size_t at) const {
    return is_name(text_[at]) && (at == 0 || !is_local_part(text_[at - 1]));
  }

  size_t word(size_t at) const {
    const std::string_view rest = text_.substr(at);
    const size_t address = web_address(rest);
    return address != kNone ? address : mail_address(rest);
  }

  static size_t mail_address(std::string_view text) {
    constexpr size_t kLongestLocalPart = 64;
    const size_t sign = count_while(text.substr(0, kLongestLocalPart + 1), 0, is_local_part);
    if (sign >= text.size() || text[sign] != '@') return kNone;
    size_t end = sign + 1 + count_while(text.substr(0, sign + 256), sign + 1, is_domain);
    while (end > sign + 1 && !is_name(text[end - 1])) --end;
    const std::string_view domain = text.substr(sign + 1, end - sign - 1);
    return domain.find('.') == domain.npos || domain.front() == '.' ? kNone : end;
  }

  std::string_view text_;
  std::vector<TextRange> found_;
};

}  // namespace

std::vector<TextRange> find_placeholders(std::string_view text) { return Finder(text).run(); }

}  // namespace eatt::markup
