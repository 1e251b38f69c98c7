#include "evaluation/ter_words.h"

#include <algorithm>

#include "base/text/letter_case.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "evaluation/replacements.h"
#include "evaluation/tokenizers.h"
#include "evaluation/western_words.h"

namespace eatt::evaluation {
namespace {

bool is_asian_punctuation(char32_t code) {
  return code == 0x3001 || code == 0x3002 || (code >= 0x3008 && code <= 0x3011) ||
         (code >= 0x3014 && code <= 0x301f) || (code >= 0xff61 && code <= 0xff65) ||
         code == 0x30fb || code == 0xff0e || code == 0xff0c || code == 0xff1f || code == 0xff1a ||
         code == 0xff1b || code == 0xff01 || code == 0xff02 || code == 0xff08 || code == 0xff09;
}

// Tercom takes the whole of U+3200 to U+3F22 for enclosed letters.
bool is_asian_character(char32_t code) {
  return (code >= 0x2e80 && code <= 0x2eff) || (code >= 0x31c0 && code <= 0x31ef) ||
         (code >= 0x3200 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0x9fff) ||
         (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe4f) ||
         is_asian_punctuation(code);
}

void split_normalized(bool asian_support, std::string& text, std::vector<std::string_view>& words) {
  replace_all(text, "\n-", "");
  replace_all(text, "\n", " ");
  replace_entities(text);
  const WesternRules rules{.padded = true, .possessives = true};
  if (asian_support) {
    scan_western_words(text, rules, is_asian_character, words);
  } else {
    scan_western_words(
        text, rules, [](char32_t) { return false; }, words);
  }
}

bool is_removed(char32_t code, bool asian_support) {
  constexpr std::u32string_view kRemoved = U".,?:;!\"()";
  return kRemoved.find(code) != std::u32string_view::npos ||
         (asian_support && is_asian_punctuation(code));
}

// Takes punctuation out of the words from `first` on, which point into `text`, where they are then
// written anew; words that become empty disappear.
void remove_punctuation(bool asian_support, std::string& text, size_t first,
                        std::vector<std::string_view>& words) {
  std::string kept;
  std::vector<size_t> ends;
  for (size_t i = first; i < words.size(); ++i) {
    const size_t begin = kept.size();
    for (size_t at = 0; at < words[i].size();) {
      const Utf8Character character = decode_utf8(words[i], at);
      if (!is_removed(character.code, asian_support)) {
        kept += words[i].substr(at, character.size);
      }
      at += character.size;
    }
    if (kept.size() > begin) ends.push_back(kept.size());
  }
  text = std::move(kept);
  words.resize(first);
  size_t begin = 0;
  for (const size_t end : ends) {
    words.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace

void split_for_ter(const TerOptions& options, std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& words) {
  const size_t first = words.size();
  scratch.clear();
  if (options.case_sensitive) {
    scratch = line;
  } else {
    append_python_lower_case(line, scratch);
  }
  if (options.normalized) {
    split_normalized(options.asian_support, scratch, words);
  } else {
    split_on_space(scratch, words);
  }
  if (options.no_punctuation) {
    remove_punctuation(options.asian_support, scratch, first, words);
  }
}

}  // namespace eatt::evaluation
