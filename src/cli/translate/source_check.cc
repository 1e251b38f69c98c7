#include "cli/translate/source_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/corpus/languages.h"
#include "text/sentences/sentences.h"

namespace eatt::cli {
namespace {

// Languages that are written in one kind of script, a space before each.
constexpr std::string_view kOtherScripts =
    " am ar bg el fa he hi hy ja ka ko mk ru ta te th uk ur zh ";
constexpr std::string_view kLatin =
    " ca cs da de en es et fi fr hr hu id is it lt lv nb nl no pl pt ro sk sl sv tr vi ";

bool is_among(std::string_view language, std::string_view list) {
  return language.size() == 2 && list.find(fmt::format(" {} ", language)) != list.npos;
}

struct Letters {
  size_t latin = 0, other = 0;
};

Letters count_letters(std::span<const InputLine> lines) {
  const auto is_latin = [](char32_t code) {
    return code <= 0x24f || (code >= 0x1e00 && code <= 0x1eff);
  };
  Letters letters;
  for (const InputLine& line : lines) {
    for (size_t at = 0; at < line.text.size();) {
      const Utf8Character character = decode_utf8(line.text, at);
      at += character.size;
      if (!is_letter(character.code)) continue;
      ++(is_latin(character.code) ? letters.latin : letters.other);
    }
  }
  return letters;
}

// How a file that is not plain text begins, in lower case, and what to say of it.
struct Markup {
  std::string_view tag, warning;
};
constexpr std::array kMarkups = {
    Markup{"<tmx",
           "looks like TMX, whose tags are translated as text; `eatt corpus convert` makes "
           "plain text of it"},
    Markup{"<xliff",
           "looks like XLIFF, whose tags are translated as text; `eatt corpus convert` "
           "makes plain text of it"},
    Markup{"<!doctype html",
           "looks like HTML, whose tags are translated as text; --html keeps them"},
    Markup{"<html", "looks like HTML, whose tags are translated as text; --html keeps them"},
    Markup{"<body", "looks like HTML, whose tags are translated as text; --html keeps them"},
};

// Whether there are enough of a kind, and nine in ten are of it.
bool is_most(size_t some, size_t others) { return some >= 20 && some >= 9 * others; }

}  // namespace

void SourceCheck::warn(const std::string& what) {
  finished_ = true;
  spdlog::warn("{}: {}; is it the right file?", name_, what);
}

SourceCheck::SourceCheck(const std::string& language, const TextFile& file)
    : language_(primary_language(language)), name_(file.name) {
  const std::string found = primary_language(language_of(file));
  if (found.empty() || language_.size() != 2 || found == language_) return;
  warn(fmt::format("the ending says {}, but the model translates from {}", found, language_));
}

void SourceCheck::look_for_markup(std::span<const InputLine> lines) const {
  constexpr size_t kFewLines = 20;  // A header and comments may come first.
  for (const InputLine& line : lines.first(std::min(kFewLines, lines.size()))) {
    const size_t start = line.text.find_first_not_of(" \t");
    if (start == line.text.npos) continue;
    if (line.text[start] != '<') return;
    const std::string text = lower_case(line.text);
    for (const Markup& markup : kMarkups) {
      if (text.find(markup.tag) == text.npos) continue;
      spdlog::warn("{}: {}", name_, markup.warning);
      return;
    }
  }
}

void SourceCheck::look_at(std::span<const InputLine> lines) {
  if (!std::exchange(has_looked_, true)) look_for_markup(lines);
  if (finished_) return;
  finished_ = true;
  const Letters letters = count_letters(lines);
  if ((is_among(language_, kOtherScripts) && is_most(letters.latin, letters.other)) ||
      (is_among(language_, kLatin) && is_most(letters.other, letters.latin))) {
    warn(fmt::format("is in another script than {}, which the model translates from", language_));
  }
}

}  // namespace eatt::cli
