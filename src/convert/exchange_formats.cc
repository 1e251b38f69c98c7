#include "convert/exchange_formats.h"

#include <algorithm>
#include <array>

#include "base/text/unicode.h"
#include "base/text/utf8.h"

namespace eatt::convert {
namespace {

bool is_code(std::string_view name) {
  constexpr std::array<std::string_view, 5> kCodes = {"bpt", "ept", "it", "ph", "ut"};
  return std::ranges::find(kCodes, name) != kCodes.end();
}

// Breaks of line, page and column: `type` in TMX, `ctype` in XLIFF 1.2, `subType` in XLIFF 2.
bool is_break(const XmlAttributes& attributes) {
  constexpr std::array<std::string_view, 6> kBreaks = {"lb",        "pb",     "cb",
                                                       "x-html-br", "xlf:lb", "xlf:pb"};
  return std::ranges::any_of(std::array{"type", "ctype", "subType"}, [&](const char* attribute) {
    const auto value = attributes.find(attribute);
    return value && std::ranges::find(kBreaks, *value) != kBreaks.end();
  });
}

bool is_breaking_space(char32_t code) {
  constexpr char32_t kNoBreakSpace = 0xa0, kNarrowNoBreakSpace = 0x202f;
  return is_white_space(code) && code != kNoBreakSpace && code != kNarrowNoBreakSpace;
}

char plain_letter(char letter) {
  if (letter >= 'A' && letter <= 'Z') return static_cast<char>(letter - 'A' + 'a');
  return letter == '_' ? '-' : letter;
}

}  // namespace

void append_on_one_line(std::string_view text, std::string& line) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    if (!is_breaking_space(character.code)) {
      line += text.substr(at, character.size);
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
    at += character.size;
  }
}

bool same_language(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, plain_letter, plain_letter);
}

bool language_matches(std::string_view wanted, std::string_view language) {
  if (!same_language(wanted, language.substr(0, wanted.size()))) return false;
  return language.size() == wanted.size() || plain_letter(language[wanted.size()]) == '-';
}

void SegmentText::open(std::string_view language) {
  segment_ = {.text = {}, .language = std::string(language), .found = true};
  is_open_ = true;
  depth_ = code_depth_ = 0;
}

void SegmentText::start(std::string_view name, const XmlAttributes& attributes) {
  if (is_break(attributes)) text(" ");
  ++depth_;
  if (code_depth_ > 0 || is_code(name)) ++code_depth_;
}

bool SegmentText::end() {
  if (depth_ == 0) {
    if (segment_.text.ends_with(' ')) segment_.text.pop_back();
    is_open_ = false;
    return true;
  }
  --depth_;
  if (code_depth_ > 0) --code_depth_;
  return false;
}

void SegmentText::text(std::string_view text) {
  if (code_depth_ > 0 || segment_.too_long) return;
  append_on_one_line(text, segment_.text);
  segment_.too_long = segment_.text.size() > kMaxSegmentBytes;
}

void PairCollector::add(const Segment& source, const Segment& target) {
  if (!source.found) return skip(Skipped::no_source);
  if (!target.found) return skip(Skipped::no_target);
  if (source.too_long || target.too_long) return skip(Skipped::too_long);
  if (is_blank(source.text) || is_blank(target.text)) return skip(Skipped::empty);
  ++counts_.pairs;
  write_(source.text, target.text);
}

void PairCollector::note_language(std::string_view language) {
  constexpr size_t kMostLanguages = 12, kMostLetters = 30;
  if (counts_.languages.size() == kMostLanguages || language.empty()) return;
  counts_.languages.insert(printable(language.substr(0, kMostLetters)));
}

}  // namespace eatt::convert
