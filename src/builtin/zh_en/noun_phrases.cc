#include "builtin/zh_en/noun_phrases.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

struct Pronoun {
  std::string_view chinese, subject, object, possessive;
  Agreement agreement;
};
constexpr Pronoun kPronouns[] = {
    {"我", "I", "me", "my", Agreement::first_person},
    {"他", "he", "him", "his", Agreement::singular},
    {"她", "she", "her", "her", Agreement::singular},
    {"我们", "we", "us", "our", Agreement::plural},
    {"你", "you", "you", "your", Agreement::plural},
    {"他们", "they", "them", "their", Agreement::plural},
};

NounPhrase pronoun(Composer& c, Role role) {
  const Pronoun& word = c.pick(kPronouns);
  return {c.linked(word.chinese, role == Role::subject ? word.subject : word.object),
          word.agreement, word.chinese, true};
}

// 我 妈妈: "my mother"; 我 的 朋友: "my friend"
NounPhrase relative(Composer& c) {
  const Pronoun& owner = c.pick(kPronouns);
  const bool family = c.chance(0.7);
  const Noun& noun = c.pick(family ? kin() : acquaintances());
  const std::string chinese = std::string(owner.chinese) + (family ? "" : " 的");
  return {c.rule("{owner} {noun}", "{owner} {noun}",
                 {{"owner", c.linked(chinese, owner.possessive)},
                  {"noun", c.linked(noun.chinese, noun.english)}}),
          Agreement::singular, noun.chinese, false, noun.kinds};
}

NounPhrase named(Composer& c) {
  if (c.chance(0.6)) {
    const Name& name = c.pick(first_names());
    return {c.linked(name.chinese, name.english), Agreement::singular, name.chinese};
  }
  const Name& surname = c.pick(surnames());
  const Name& title = c.pick(titles());
  return {c.rule("{surname} {title}", "{title} {surname}",
                 {{"surname", c.linked(surname.chinese, surname.english)},
                  {"title", c.linked(title.chinese, title.english)}}),
          Agreement::singular, surname.chinese};
}

// 小明 和 他 妈妈: "Xiaoming and his mother"
NounPhrase couple(Composer& c) {
  const NounPhrase first = named(c);
  NounPhrase second = c.chance(0.5) ? named(c) : relative(c);
  while (second.head == first.head) second = named(c);
  return {c.rule("{first} 和/1 {second}", "{first} and/1 {second}",
                 {{"first", first.words}, {"second", second.words}}),
          Agreement::plural, first.head};
}

// 孩子 们: "the children"
NounPhrase group(Composer& c, const Noun& noun) {
  const std::string chinese = std::string(noun.chinese) + " 们";
  const Phrase words = c.linked(chinese, english::plural(noun.english));
  return {c.rule("{noun}", "the {noun}", {{"noun", words}}), Agreement::plural, noun.chinese, false,
          noun.kinds};
}

// A determiner, its number, and whether a measure word follows it.
struct Determiner {
  Phrase words;
  bool plural;
  bool measured;
};

// Small numbers only: nobody eats seven apples.
Phrase fitting_number(Composer& c, const Noun& noun) {
  if ((noun.kinds & (kFood | kDrink | kBuilding)) != 0) return number_between(c, 2, 3);
  return (noun.kinds & kPerson) != 0 ? small_number(c) : number_between(c, 2, 5);
}

Determiner unknown_determiner(Composer& c, const Noun& noun) {
  if (c.chance(0.45)) return {c.linked("一", "a"), false, true};
  if (!noun.container.empty() || c.chance(0.6)) return {fitting_number(c, noun), true, true};
  if (c.chance(0.5)) return {c.linked("很多", "many"), true, false};
  return {c.linked("一些", "some"), true, false};
}

// 这, 那
Determiner pointer(Composer& c) {
  const bool near = c.chance(0.5);
  return {c.linked(near ? "这" : "那", near ? "this" : "that"), false, true};
}

// 这些, 那些; 这 三, the only one that goes with 茶: 这 三 杯 茶
Determiner plural_pointer(Composer& c, const Noun& noun) {
  const bool near = c.chance(0.5);
  if (noun.container.empty() && c.chance(0.6)) {
    return {c.linked(near ? "这些" : "那些", near ? "these" : "those"), true, false};
  }
  const Phrase these = c.linked(near ? "这" : "那", near ? "these" : "those");
  return {c.rule("{these} {n}", "{these} {n}", {{"these", these}, {"n", fitting_number(c, noun)}}),
          true, true};
}

Determiner known_determiner(Composer& c, const Noun& noun) {
  return c.chance(0.5) ? pointer(c) : plural_pointer(c, noun);
}

// Determiner, measure word, attribute, noun.
NounPhrase determined(Composer& c, const Determiner& determiner, const Phrase& attribute,
                      const Noun& noun) {
  const auto numbered = [&](std::string_view word) {
    return determiner.plural ? english::plural(word) : std::string(word);
  };
  Phrase measure;
  if (determiner.measured) {
    measure = noun.container.empty() ? c.source_only(noun.measure)
                                     : c.linked(noun.measure, numbered(noun.container) + " of");
  }
  const std::string english =
      noun.container.empty() ? numbered(noun.english) : std::string(noun.english);
  const Phrase words = c.rule("{determiner} {measure} {attribute} {noun}",
                              "{determiner} {measure} {attribute} {noun}",
                              {{"determiner", determiner.words},
                               {"measure", measure},
                               {"attribute", attribute},
                               {"noun", c.linked(noun.chinese, english)}});
  return {words, determiner.plural ? Agreement::plural : Agreement::singular, noun.chinese, false,
          noun.kinds};
}

NounPhrase owned(Composer& c, const Phrase& attribute, const Noun& noun) {
  Phrase owner;
  if (c.chance(0.65)) {
    const Pronoun& word = c.pick(kPronouns);
    owner = c.linked(std::string(word.chinese) + " 的", word.possessive);
  } else {
    const NounPhrase holder = c.chance(0.5)   ? relative(c)
                              : c.chance(0.5) ? named(c)
                                              : bare(c, pick_noun(c, people(), kJob));
    owner = c.rule("{holder} 的/1", "{holder} 's/1", {{"holder", holder.words}});
  }
  const Phrase words = c.rule(
      "{owner} {attribute} {noun}", "{owner} {attribute} {noun}",
      {{"owner", owner}, {"attribute", attribute}, {"noun", c.linked(noun.chinese, noun.english)}});
  const bool plural = noun.container == "pair";  // my shoes
  return {words, plural ? Agreement::plural : Agreement::singular, noun.chinese};
}

bool can_be_owned(const Noun& noun) {
  if ((noun.kinds & kAnimal) != 0) return (noun.kinds & kPet) != 0;
  return (noun.kinds & (kWatchable | kOccasion | kSong | kPlant | kBuilding | kPhoto)) == 0;
}

}  // namespace

NounPhrase bare(Composer& c, const Noun& noun) {
  return {c.rule("{noun}", "the {noun}", {{"noun", c.linked(noun.chinese, noun.english)}}),
          Agreement::singular, noun.chinese, false, noun.kinds};
}

NounPhrase counted(Composer& c, const Noun& noun) {
  return determined(c, unknown_determiner(c, noun), {}, noun);
}

NounPhrase one(Composer& c, const Noun& noun, const Phrase& attribute) {
  return determined(c, {c.linked("一", "a"), false, true}, attribute, noun);
}

NounPhrase owned(Composer& c, const Noun& noun) { return owned(c, {}, noun); }

NounPhrase known_singular(Composer& c, const Noun& noun) {
  return can_be_owned(noun) && c.chance(0.5) ? owned(c, noun) : pointed(c, noun);
}

NounPhrase pointed(Composer& c, const Noun& noun) { return determined(c, pointer(c), {}, noun); }

NounPhrase known_plain(Composer& c, const Noun& noun) {
  if (noun.measure.empty()) return thing(c, noun, Reference::in_general);
  if (can_be_owned(noun) && c.chance(0.4)) return owned(c, noun);
  return determined(c, known_determiner(c, noun), {}, noun);
}

bool mentions(const NounPhrase& phrase, std::string_view chinese) {
  return std::ranges::find(phrase.words.source, chinese, &Token::text) != phrase.words.source.end();
}

NounPhrase person(Composer& c, Role role) {
  const size_t choice = c.below(100);
  if (choice < 34) return pronoun(c, role);
  if (choice < 52) return relative(c);
  if (choice < 65) return named(c);
  if (choice < 68) return couple(c);
  if (choice < 82) return bare(c, pick_noun(c, people(), kJob));
  const Noun& noun = c.pick(people());
  if (choice < 88) return group(c, noun);
  const Phrase trait = c.chance(0.2) ? attribute(c, traits(), noun.kinds) : Phrase{};
  return determined(c, known_determiner(c, noun), trait, noun);
}

NounPhrase single_person(Composer& c, Role role) {
  for (;;) {
    NounPhrase who = person(c, role);
    if (who.agreement != Agreement::plural) return who;
  }
}

NounPhrase jobless_person(Composer& c, Role role) {
  for (;;) {
    NounPhrase who = person(c, role);
    const bool child = (who.kinds & kYoung) != 0 && (who.kinds & kFamily) == 0;
    if ((who.kinds & kJob) == 0 && !child && !mentions(who, "教授")) return who;
  }
}

NounPhrase another_person(Composer& c, Role role, const NounPhrase& other) {
  for (;;) {
    NounPhrase who = person(c, role);
    if (who.head != other.head && !(who.pronoun && other.pronoun)) return who;
  }
}

NounPhrase thing(Composer& c, const Noun& noun, Reference reference) {
  if (noun.measure.empty()) {
    return {c.linked(noun.chinese, noun.english), Agreement::singular, noun.chinese};
  }
  if (reference == Reference::in_general) {
    const bool countable = noun.container.empty();
    const std::string english =
        countable ? english::plural(noun.english) : std::string(noun.english);
    const bool plural = countable || noun.english.ends_with("s");  // noodles, shoes
    return {c.linked(noun.chinese, english), plural ? Agreement::plural : Agreement::singular,
            noun.chinese};
  }
  const Phrase adjective = c.chance(0.4) ? attribute(c, thing_adjectives(), noun.kinds) : Phrase{};
  if (reference == Reference::single) return one(c, noun, adjective);
  if (reference == Reference::unknown) {
    return determined(c, unknown_determiner(c, noun), adjective, noun);
  }
  const bool own = reference == Reference::known && can_be_owned(noun);
  if (own && c.chance(0.45)) return owned(c, adjective, noun);
  return determined(c, known_determiner(c, noun), adjective, noun);
}

bool are_many(const NounPhrase& people) {
  return people.agreement == Agreement::plural && people.head != "你" && !mentions(people, "两") &&
         !mentions(people, "和");
}

NounPhrase city(Composer& c) {
  const Name& name = c.pick(cities());
  return {c.linked(name.chinese, name.english), Agreement::singular, name.chinese};
}

NounPhrase city_or_country(Composer& c) {
  if (c.chance(0.6)) return city(c);
  const Name& name = c.pick(countries());
  return {c.linked(name.chinese, name.english), Agreement::singular, name.chinese};
}

NounPhrase known_place(Composer& c, const Noun& place) {
  if (c.chance(0.7)) return bare(c, place);
  const Phrase adjective = c.chance(0.4) ? attribute(c, place_adjectives(), place.kinds) : Phrase{};
  return determined(c, pointer(c), adjective, place);
}

const Noun& pick_noun(Composer& c, std::span<const Noun> nouns, Kinds kinds) {
  size_t fitting = 0;
  for (const Noun& noun : nouns) fitting += (noun.kinds & kinds) != 0;
  expects(fitting > 0, "the lexicon has a noun of these kinds");
  size_t left = c.skewed_below(fitting);
  for (const Noun& noun : nouns) {
    if ((noun.kinds & kinds) != 0 && left-- == 0) return noun;
  }
  return nouns.front();
}

const Noun& pick_countable(Composer& c, Kinds kinds) {
  for (;;) {
    const Noun& noun = pick_noun(c, things(), kinds);
    if (!noun.measure.empty() && noun.container.empty()) return noun;
  }
}

const Noun& pick_other(Composer& c, std::span<const Noun> nouns, Kinds kinds,
                       std::string_view than) {
  for (;;) {
    const Noun& noun = pick_noun(c, nouns, kinds);
    if (noun.chinese != than) return noun;
  }
}

const Adjective* pick_adjective(Composer& c, std::span<const Adjective> adjectives, Kinds kinds) {
  size_t fitting = 0;
  for (const Adjective& word : adjectives) fitting += (word.kinds & kinds) != 0;
  if (fitting == 0) return nullptr;
  size_t left = c.skewed_below(fitting);
  for (const Adjective& word : adjectives) {
    if ((word.kinds & kinds) != 0 && left-- == 0) return &word;
  }
  return nullptr;
}

Phrase attribute(Composer& c, std::span<const Adjective> adjectives, Kinds kinds) {
  const Adjective* word = pick_adjective(c, adjectives, kinds);
  if (word == nullptr || !word->attributive()) return {};
  const Phrase adjective = c.linked(word->chinese, word->english);
  const bool one_syllable = word->chinese.size() == 3;  // Bytes of one character.
  return one_syllable ? adjective : c.rule("{word} 的", "{word}", {{"word", adjective}});
}

}  // namespace eatt::builtin::zh_en
