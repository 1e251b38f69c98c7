#include <algorithm>
#include <array>
#include <span>

#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::english {
namespace {

struct IrregularNoun {
  std::string_view singular, plural;
};
constexpr IrregularNoun kIrregularNouns[] = {
    {"child", "children"},  {"fish", "fish"},   {"knife", "knives"},
    {"man", "men"},         {"mouse", "mice"},  {"person", "people"},
    {"potato", "potatoes"}, {"sheep", "sheep"}, {"woman", "women"},
};

struct IrregularVerb {
  std::string_view base, past, participle;
};
constexpr IrregularVerb kIrregularVerbs[] = {
    {"be", "was", "been"},           {"feed", "fed", "fed"},        {"bite", "bit", "bitten"},
    {"break", "broke", "broken"},    {"build", "built", "built"},   {"buy", "bought", "bought"},
    {"catch", "caught", "caught"},   {"come", "came", "come"},      {"cut", "cut", "cut"},
    {"draw", "drew", "drawn"},       {"drink", "drank", "drunk"},   {"eat", "ate", "eaten"},
    {"find", "found", "found"},      {"get", "got", "got"},         {"give", "gave", "given"},
    {"go", "went", "gone"},          {"hear", "heard", "heard"},    {"keep", "kept", "kept"},
    {"know", "knew", "known"},       {"leave", "left", "left"},     {"lose", "lost", "lost"},
    {"meet", "met", "met"},          {"read", "read", "read"},      {"run", "ran", "run"},
    {"sell", "sold", "sold"},        {"send", "sent", "sent"},      {"sing", "sang", "sung"},
    {"sit", "sat", "sat"},           {"sleep", "slept", "slept"},   {"speak", "spoke", "spoken"},
    {"stand", "stood", "stood"},     {"steal", "stole", "stolen"},  {"swim", "swam", "swum"},
    {"take", "took", "taken"},       {"teach", "taught", "taught"}, {"tell", "told", "told"},
    {"think", "thought", "thought"}, {"wear", "wore", "worn"},      {"write", "wrote", "written"},
};

// Verbs whose last consonant is doubled before -ed and -ing.
constexpr std::string_view kDoubling[] = {"chat", "cut", "get", "plan", "run", "sit", "swim"};

// Words whose first letter does not tell whether they begin with a vowel sound.
constexpr std::string_view kVowelSound[] = {"honest", "hour"};
constexpr std::string_view kConsonantSound[] = {"university", "one", "useful"};

bool contains(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_vowel(char letter) {
  return std::string_view("aeiou").find(letter) != std::string_view::npos;
}

bool ends_in_consonant_and(char last, std::string_view word) {
  return word.size() > 1 && word.back() == last && !is_vowel(word[word.size() - 2]);
}

std::string without_last(std::string_view word) {
  return std::string(word.substr(0, word.size() - 1));
}

// The -s of plurals and of the third person.
std::string add_s(std::string_view word) {
  if (ends_in_consonant_and('y', word)) return without_last(word) + "ies";
  const bool hissing =
      word.ends_with("s") || word.ends_with("x") || word.ends_with("ch") || word.ends_with("sh");
  return std::string(word) + (hissing ? "es" : "s");
}

std::string add_ed(std::string_view word) {
  if (word.ends_with("e")) return std::string(word) + "d";
  if (ends_in_consonant_and('y', word)) return without_last(word) + "ied";
  return std::string(word) + (contains(kDoubling, word) ? std::string(1, word.back()) : "") + "ed";
}

std::string add_ing(std::string_view word) {
  if (word.ends_with("e") && !word.ends_with("ee")) return without_last(word) + "ing";
  return std::string(word) + (contains(kDoubling, word) ? std::string(1, word.back()) : "") + "ing";
}

std::string inflect_word(std::string_view verb, Form form) {
  switch (form) {
    case Form::base:
      return std::string(verb);
    case Form::third_person:
      if (verb == "have") return "has";
      return verb == "go" || verb == "do" ? std::string(verb) + "es" : add_s(verb);
    case Form::gerund:
      return add_ing(verb);
    default:
      break;
  }
  const auto* irregular = std::ranges::find(kIrregularVerbs, verb, &IrregularVerb::base);
  if (irregular == std::end(kIrregularVerbs)) return add_ed(verb);
  return std::string(form == Form::past ? irregular->past : irregular->participle);
}

// Groups of vowels, without a silent e at the end. Enough to tell "brave" from "famous".
int syllables(std::string_view word) {
  int count = 0;
  bool in_vowels = false;
  for (const char letter : word) {
    const bool vowel = is_vowel(letter) || letter == 'y';
    if (vowel && !in_vowels) ++count;
    in_vowels = vowel;
  }
  return count > 1 && ends_in_consonant_and('e', word) ? count - 1 : count;
}

// "tall" + "er", "big" → "bigg" + "er", "heavy" → "heavi" + "er"; empty if it takes "more".
std::string stem_for_er(std::string_view adjective) {
  if (ends_in_consonant_and('y', adjective)) return without_last(adjective) + "i";
  if (syllables(adjective) > 1) return "";
  if (adjective.ends_with("e")) return without_last(adjective);
  const size_t size = adjective.size();
  const bool doubles = size == 3 && !is_vowel(adjective[0]) && is_vowel(adjective[1]) &&
                       !is_vowel(adjective[2]) && adjective[2] != 'w';
  return std::string(adjective) + (doubles ? std::string(1, adjective.back()) : "");
}

}  // namespace

std::string plural(std::string_view noun) {
  const size_t space = noun.rfind(' ');
  const size_t start = space == std::string_view::npos ? 0 : space + 1;
  const std::string_view last = noun.substr(start);
  const auto* irregular = std::ranges::find(kIrregularNouns, last, &IrregularNoun::singular);
  return std::string(noun.substr(0, start)) +
         (irregular == std::end(kIrregularNouns) ? add_s(last) : std::string(irregular->plural));
}

std::string inflect(std::string_view verb, Form form) {
  const size_t end = std::min(verb.find(' '), verb.size());
  return inflect_word(verb.substr(0, end), form) + std::string(verb.substr(end));
}

std::string comparative(std::string_view adjective) {
  if (adjective == "good") return "better";
  const std::string stem = stem_for_er(adjective);
  return stem.empty() ? "more " + std::string(adjective) : stem + "er";
}

std::string superlative(std::string_view adjective) {
  if (adjective == "good") return "best";
  const std::string stem = stem_for_er(adjective);
  return stem.empty() ? "most " + std::string(adjective) : stem + "est";
}

void correct_articles(Words& sentence) {
  for (size_t i = 0; i + 1 < sentence.size(); ++i) {
    if (sentence[i].text != "a") continue;
    const std::string_view next = sentence[i + 1].text;
    const bool vowel =
        (is_vowel(next.front()) || next.front() == 'E') && !contains(kConsonantSound, next);
    if (vowel || contains(kVowelSound, next)) sentence[i].text = "an";
  }
}

void capitalize(Words& sentence) {
  if (sentence.empty()) return;
  char& first = sentence.front().text.front();
  if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
}

}  // namespace eatt::builtin::english
