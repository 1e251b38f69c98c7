#include "builtin/language_pair.h"

#include <fmt/format.h>

#include "base/error.h"
#include "builtin/zh_en/grammar.h"

namespace eatt::builtin {
namespace {

constexpr LanguagePair kLanguagePairs[] = {
    {.source = "zh", .target = "en", .source_spacing = Spacing::none, .sentence = zh_en::sentence},
};

}  // namespace

std::string LanguagePair::name() const { return fmt::format("{}-{}", source, target); }

std::span<const LanguagePair> language_pairs() { return kLanguagePairs; }

const LanguagePair& find_language_pair(std::string_view name, std::span<const LanguagePair> known) {
  std::string names;
  for (const LanguagePair& pair : known) {
    if (pair.name() == name) return pair;
    names += (names.empty() ? "" : ", ") + pair.name();
  }
  throw UsageError(
      fmt::format("there is no built-in corpus for the pair '{}'; known pairs: {}", name, names));
}

}  // namespace eatt::builtin
