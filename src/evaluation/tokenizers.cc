#include "evaluation/tokenizers.h"

#include <utility>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "evaluation/western_words.h"

namespace eatt::evaluation {

void replace_all(std::string& line, std::string_view from, std::string_view to) {
  size_t at = line.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t copied = 0;
  for (; at != std::string::npos; at = line.find(from, copied)) {
    result.append(line, copied, at - copied);
    result += to;
    copied = at + from.size();
  }
  result.append(line, copied);
  line = std::move(result);
}

void replace_entities(std::string& line) {
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
}

namespace {

struct TokenizerName {
  Tokenizer tokenizer;
  std::string_view name;
};

constexpr TokenizerName kNames[] = {{Tokenizer::v13a, "13a"},
                                    {Tokenizer::intl, "intl"},
                                    {Tokenizer::zh, "zh"},
                                    {Tokenizer::character, "char"},
                                    {Tokenizer::none, "none"}};

// What sacreBLEU's zh tokenizer cuts out, in code point order. It writes two ranges above U+FFFF
// as '\u20000' to '\u2a6d6' and '\u2f800' to '\u2fa1d', which Python reads as a character and a
// digit: they came out as U+2001 to U+2A6D and U+2F81 to U+2FA1, so dashes, curly quotes and arrows
// count as Chinese and rare characters above U+FFFF do not. Published scores were computed this
// way.
bool is_chinese(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kRanges[] = {
      {0x2001, 0x2a6d},  // General punctuation up to mathematical operators.
      {0x2e80, 0x2eff},  // Radicals.
      {0x2f00, 0x2fdf},  // Kangxi radicals.
      {0x2ff0, 0x2fff},  // Descriptions of characters.
      {0x3000, 0x303f},  // Punctuation.
      {0x3100, 0x312f},  // Bopomofo.
      {0x31a0, 0x31bf},  // Bopomofo for Taiwanese and Hakka.
      {0x31c0, 0x31ef},  // Strokes.
      {0x3200, 0x33ff},  // Enclosed and compatibility forms.
      {0x3400, 0x4db5},  // Extension A.
      {0x4e00, 0x9fbb},  // Unified ideographs.
      {0xf900, 0xfa2d},  // Compatibility ideographs, three times.
      {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f},  // Vertical forms.
      {0xfe30, 0xfe4f}, {0xff00, 0xffef},                    // Full-width and half-width forms.
  };
  for (const Range& range : kRanges) {
    if (code <= range.last) return code >= range.first;
  }
  return false;
}

void split_13a(std::string_view line, std::string& scratch, std::vector<std::string_view>& words) {
  const bool escaped = line.find('&') != std::string_view::npos;
  const bool broken = line.find('\n') != std::string_view::npos;
  const bool skipped = line.find("<skipped>") != std::string_view::npos;
  if (escaped || broken || skipped) {
    scratch = line;
    replace_all(scratch, "<skipped>", "");
    replace_all(scratch, "-\n", "");
    replace_all(scratch, "\n", " ");
    replace_entities(scratch);
    line = scratch;
  }
  scan_western_words(
      line, {.padded = true}, [](char32_t) { return false; }, words);
}

void split_zh(std::string_view line, std::vector<std::string_view>& words) {
  scan_western_words(strip(line), {.padded = false}, is_chinese, words);
}

void split_characters(std::string_view line, std::vector<std::string_view>& words) {
  for (size_t at = 0; at < line.size();) {
    const Utf8Character character = decode_utf8(line, at);
    if (!is_python_space(character.code)) words.push_back(line.substr(at, character.size));
    at += character.size;
  }
}

}  // namespace

std::string_view tokenizer_name(Tokenizer tokenizer) {
  return kNames[static_cast<size_t>(tokenizer)].name;
}

std::optional<Tokenizer> tokenizer_from_name(std::string_view name) {
  for (const TokenizerName& known : kNames) {
    if (known.name == name) return known.tokenizer;
  }
  return std::nullopt;
}

void tokenize(Tokenizer tokenizer, std::string_view line, std::string& scratch,
              std::vector<std::string_view>& words) {
  switch (tokenizer) {
    case Tokenizer::v13a:
      return split_13a(line, scratch, words);
    case Tokenizer::intl:
      return split_international(line, words);
    case Tokenizer::zh:
      return split_zh(line, words);
    case Tokenizer::character:
      return split_characters(line, words);
    case Tokenizer::none:
      return split_on_space(line, words);
  }
}

void split_on_space(std::string_view line, std::vector<std::string_view>& words) {
  size_t word = 0;
  for (size_t at = 0; at < line.size();) {
    const ByteKind kind = kByteKinds[static_cast<unsigned char>(line[at])];
    Utf8Character character{' ', 1};
    if (kind == ByteKind::multibyte) character = decode_multibyte_utf8(line, at);
    if (kind == ByteKind::space ||
        (kind == ByteKind::multibyte && is_python_space(character.code))) {
      if (at > word) words.push_back(line.substr(word, at - word));
      word = at + character.size;
    }
    at += character.size;
  }
  if (line.size() > word) words.push_back(line.substr(word));
}

}  // namespace eatt::evaluation
