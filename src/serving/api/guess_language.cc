// The language of a text, by the profiles of the models, or by script for models without.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/text/utf8.h"
#include "serving/api/translation.h"
#include "text/corpus/languages.h"
#include "text/sentences/sentences.h"

namespace eatt::serving {
namespace {

enum class Script { latin, han, kana, hangul, cyrillic, greek, arabic, hebrew, thai, other };

Script script_of(char32_t c) {
  if (c < 0x250) return Script::latin;
  if (c >= 0x370 && c < 0x400) return Script::greek;
  if (c >= 0x400 && c < 0x530) return Script::cyrillic;
  if (c >= 0x590 && c < 0x600) return Script::hebrew;
  if (c >= 0x600 && c < 0x780) return Script::arabic;
  if (c >= 0xe00 && c < 0xe80) return Script::thai;
  if (c >= 0x3040 && c < 0x3100) return Script::kana;
  if (c >= 0x4e00 && c < 0xa000) return Script::han;
  return c >= 0xac00 && c < 0xd7b0 ? Script::hangul : Script::other;
}

Script script_of_language(std::string_view code) {
  const std::string language = primary_language(code);
  const auto is_one_of = [&](std::initializer_list<std::string_view> codes) {
    return std::ranges::find(codes, language) != codes.end();
  };
  if (language == "zh") return Script::han;
  if (language == "ja") return Script::kana;
  if (language == "ko") return Script::hangul;
  if (language == "el") return Script::greek;
  if (language == "he") return Script::hebrew;
  if (language == "th") return Script::thai;
  if (is_one_of({"ru", "uk", "be", "bg", "mk", "sr", "kk"})) return Script::cyrillic;
  return is_one_of({"ar", "fa", "ur"}) ? Script::arabic : Script::latin;
}

// How sure a script makes a language, at most: many share the Latin one, nobody shares Greek.
double certainty_of(Script script) {
  switch (script) {
    case Script::latin:
      return 0.1;
    case Script::cyrillic:
    case Script::arabic:
      return 0.25;
    case Script::han:
      return 0.5;
    default:
      return 1;
  }
}

// How much of the text is in the script of each language; what several share is divided, among the
// models' languages or all that there are.
std::vector<LanguageGuess> guess_by_script(const std::vector<std::string>& languages,
                                           std::string_view text) {
  std::array<double, 10> letters{};
  double all = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    at += character.size;
    const bool is_letter = character.code >= 0x80 || std::isalpha(static_cast<int>(character.code));
    if (!is_letter) continue;
    ++letters[static_cast<size_t>(script_of(character.code))];
    ++all;
  }
  std::vector<LanguageGuess> guesses;
  for (const std::string& language : languages) {
    const Script script = script_of_language(language);
    const auto sharing = std::ranges::count(languages, script, script_of_language);
    const double share = all == 0 ? 0 : letters[static_cast<size_t>(script)] / all;
    guesses.push_back(
        {language, share * std::min(1 / static_cast<double>(sharing), certainty_of(script))});
  }
  return guesses;
}

// What is to be translated of the texts.
std::string words_of(std::span<const std::string> texts, bool html) {
  std::string words;
  for (const std::string& text : texts) {
    const markup::Document document(text, {.html = html, .glossary = {}}, kUnknownLanguage);
    for (const std::string& part : document.texts()) words += part + "\n";
  }
  return words;
}

}  // namespace

std::vector<LanguageGuess> guess_languages(const ModelSet& models,
                                           std::span<const std::string> texts, bool html) {
  const std::string words = words_of(texts, html);
  std::vector<const LanguageProfile*> profiles;
  for (const auto& model : models.models) {
    for (const LanguageProfile& profile : model->profiles) profiles.push_back(&profile);
  }
  std::vector<LanguageGuess> guesses = detect_language(words, profiles);
  const auto unknown = std::ranges::find(guesses, kUnknownLanguage, &LanguageGuess::language);
  const double rest = unknown->confidence;
  guesses.erase(unknown);

  // What is in none of the profiles' languages may be in one that has no profile.
  std::vector<std::string> others = models.sources();
  std::erase_if(others, [&](const std::string& source) {
    return std::ranges::find(guesses, source, &LanguageGuess::language) != guesses.end();
  });
  for (LanguageGuess& guess : guess_by_script(others, words)) {
    guesses.push_back({std::move(guess.language), rest * guess.confidence});
  }
  std::ranges::stable_sort(guesses, std::greater(), &LanguageGuess::confidence);
  return guesses;
}

LanguageGuess guess_source(const ModelSet& models, std::span<const std::string> texts, bool html,
                           std::string_view target) {
  const std::vector<LanguageGuess> guesses = guess_languages(models, texts, html);
  const auto found = std::ranges::find_if(guesses, [&](const LanguageGuess& guess) {
    return models.for_languages(guess.language, target) != nullptr;
  });
  return found == guesses.end() ? guesses.front() : *found;
}

}  // namespace eatt::serving
