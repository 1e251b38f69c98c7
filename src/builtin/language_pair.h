#pragma once

#include <span>
#include <string>
#include <string_view>

#include "builtin/composer.h"

namespace eatt::builtin {

// A grammar that composes sentence pairs. To add one, write a file with its `sentence` function and
// add a line to the list in language_pair.cc; docs/builtin-corpus.md shows a small one.
struct LanguagePair {
  std::string_view source;  // Language codes, which are also the extensions of the files: "zh"
  std::string_view target;
  Spacing source_spacing = Spacing::words;  // How the language is really written.
  Spacing target_spacing = Spacing::words;
  Phrase (*sentence)(Composer&) = nullptr;

  std::string name() const;  // "zh-en"
};

std::span<const LanguagePair> language_pairs();

// Throws a UsageError that names the known ones.
const LanguagePair& find_language_pair(std::string_view name,
                                       std::span<const LanguagePair> known = language_pairs());

}  // namespace eatt::builtin
