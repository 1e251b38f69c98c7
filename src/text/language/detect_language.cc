#include "text/language/detect_language.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "text/corpus/languages.h"

namespace eatt {
namespace {

constexpr size_t kMostLetters = 1000;  // More do not change the result.
// Letters depend on each other, so that bits of evidence are worth less than they seem. Fitted so
// that confidence and accuracy agree for snippets of 20 characters (docs/markup.md).
constexpr double kTemperature = 0.3;

// Bits of a letter from which on text is in none of the languages: 2 more than is typical, 60 %
// more for languages of many letters, whose text differs more. Never below what single letters of
// the language cost, and English of another kind, since a model may have learned from very simple
// text.
double foreign_bits(const LanguageProfile& profile) {
  const double typical = profile.typical_bits;
  return std::max({typical + 2, 1.6 * typical, profile.single_bits, 4.5});
}

struct Candidate {
  double bits = 0;  // Per letter.
  double foreign = 0;
};

}  // namespace

std::vector<LanguageGuess> detect_language(std::string_view text,
                                           std::span<const LanguageProfile* const> profiles) {
  const std::string unknown(kUnknownLanguage);
  const std::vector<std::string> letters = profile_letters(text, kMostLetters);
  if (letters.empty() || profiles.empty()) return {{unknown, 1}};

  std::map<std::string, Candidate> candidates;
  for (const LanguageProfile* profile : profiles) {
    const Candidate own{bits_per_letter(*profile, letters), foreign_bits(*profile)};
    const auto [entry, is_new] = candidates.emplace(profile->language, own);
    if (!is_new && own.bits < entry->second.bits) entry->second = own;
  }
  const auto best =
      std::ranges::min_element(candidates, {}, [](const auto& entry) { return entry.second.bits; });
  // What the text would cost in a language that we do not know.
  const double foreign = best->second.foreign;
  candidates.emplace(unknown, Candidate{foreign, foreign});

  std::vector<LanguageGuess> guesses;
  double sum = 0;
  const double least = std::min(best->second.bits, foreign);
  for (const auto& [language, candidate] : candidates) {
    const double evidence = (candidate.bits - least) * static_cast<double>(letters.size());
    guesses.push_back({language, std::exp2(-kTemperature * evidence)});
    sum += guesses.back().confidence;
  }
  for (LanguageGuess& guess : guesses) guess.confidence /= sum;
  std::ranges::stable_sort(guesses, std::greater(), &LanguageGuess::confidence);
  return guesses;
}

}  // namespace eatt
