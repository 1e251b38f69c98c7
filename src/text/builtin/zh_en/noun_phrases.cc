#include "text/builtin/zh_en/noun_phrases.h"

#include "base/error.h"
#include "text/builtin/zh_en/english.h"
#include "text/builtin/zh_en/numbers.h"

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

// 我 妈妈: "my mother"
NounPhrase relative(Composer& c) {
  const Pronoun& owner = c.pick(kPronouns);
  const Noun& noun = c.pick(kin());
  return {c.rule("{owner} {kin}", "{owner} {kin}",
                 {{"owner", c.linked(owner.chinese, owner.possessive)},
                  {"kin", c.linked(noun.chinese, noun.english)}}),
          Agreement::singular, noun.chinese};
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

// 孩子 们: "the children"
NounPhrase group(Composer& c, const Noun& noun) {
  const std::string chinese = std::string(noun.chinese) + " 们";
  return {c.rule("{noun}", "the {noun}", {{"noun", c.linked(chinese, english::plural(noun.english))}}),
          Agreement::plural, noun.chinese};
}

// A determiner and what it asks for: number, and a measure word between it and the noun.
struct Determiner {
  Phrase words;
  bool plural;
  bool measured;
};

Determiner new_determiner(Composer& c, const Noun& noun) {
  if (c.chance(0.5)) return {c.linked("一", "a"), false, true};
  if (!noun.container.empty() || c.chance(0.6)) return {small_number(c), true, true};
  if (c.chance(0.5)) return {c.linked("很多", "many"), true, false};
  return {c.linked("一些", "some"), true, false};
}

// 这, 那
Determiner pointer(Composer& c) {
  const bool near = c.chance(0.5);
  return {c.linked(near ? "这" : "那", near ? "this" : "that"), false, true};
}

// 这些, 那些; 这 三, which is all that 茶 takes: 这 三 杯 茶
Determiner plural_pointer(Composer& c, const Noun& noun) {
  const bool near = c.chance(0.5);
  if (noun.container.empty() && c.chance(0.6)) {
    return {c.linked(near ? "这些" : "那些", near ? "these" : "those"), true, false};
  }
  const Phrase pointer = c.linked(near ? "这" : "那", near ? "these" : "those");
  return {c.rule("{this} {n}", "{this} {n}", {{"this", pointer}, {"n", small_number(c)}}), true,
          true};
}

Determiner known_determiner(Composer& c, const Noun& noun) {
  return c.chance(0.55) ? pointer(c) : plural_pointer(c, noun);
}

// Determiner, measure word, attribute, noun. A measure word has no counterpart in English unless it
// is a container: "cups of".
NounPhrase determined(Composer& c, const Determiner& determiner, const Phrase& attribute,
                      const Noun& noun) {
  const auto numbered = [&](std::string_view word) {
    return determiner.plural ? english::plural(word) : std::string(word);
  };
  const bool contained = !noun.container.empty() && determiner.measured;
  Phrase measure;
  if (contained) {
    measure = c.linked(noun.measure, numbered(noun.container) + " of");
  } else if (determiner.measured) {
    measure = c.source_only(noun.measure);
  }
  const Phrase noun_words =
      c.linked(noun.chinese, noun.container.empty() ? numbered(noun.english) : std::string(noun.english));
  const Phrase words =
      c.rule("{determiner} {measure} {attribute} {noun}", "{determiner} {measure} {attribute} {noun}",
             {{"determiner", determiner.words},
              {"measure", measure},
              {"attribute", attribute},
              {"noun", noun_words}});
  return {words, determiner.plural ? Agreement::plural : Agreement::singular, noun.chinese};
}

// 我 的 书, 老师 的 书, 我 妈妈 的 书
NounPhrase owned(Composer& c, const Phrase& attribute, const Noun& noun) {
  Phrase owner;
  if (c.chance(0.65)) {
    const Pronoun& word = c.pick(kPronouns);
    owner = c.linked(std::string(word.chinese) + " 的", word.possessive);
  } else {
    const NounPhrase holder = c.chance(0.5) ? relative(c) : c.chance(0.5) ? named(c) : bare(c, c.pick(people()));
    owner = c.rule("{holder} 的/1", "{holder} 's/1", {{"holder", holder.words}});
  }
  const Phrase words = c.rule("{owner} {attribute} {noun}", "{owner} {attribute} {noun}",
                              {{"owner", owner},
                               {"attribute", attribute},
                               {"noun", c.linked(noun.chinese, noun.english)}});
  const bool plural = noun.container == "pair";  // my shoes
  return {words, plural ? Agreement::plural : Agreement::singular, noun.chinese};
}

}  // namespace

NounPhrase bare(Composer& c, const Noun& noun) {
  return {c.rule("{noun}", "the {noun}", {{"noun", c.linked(noun.chinese, noun.english)}}),
          Agreement::singular, noun.chinese};
}

NounPhrase counted(Composer& c, const Noun& noun) {
  return determined(c, new_determiner(c, noun), {}, noun);
}

NounPhrase known_singular(Composer& c, const Noun& noun) {
  return c.chance(0.4) ? owned(c, noun) : determined(c, pointer(c), {}, noun);
}

NounPhrase owned(Composer& c, const Noun& noun) { return owned(c, Phrase{}, noun); }

NounPhrase several_people(Composer& c, Role role) {
  const Noun& noun = c.pick(people());
  switch (c.below(4)) {
    case 0:
      return determined(c, {small_number(c), true, true}, {}, noun);
    case 1:
      return determined(c, plural_pointer(c, noun), {}, noun);
    case 2: {
      const Pronoun& word = kPronouns[c.chance(0.5) ? 3 : 5];  // 我们, 他们
      return {c.linked(word.chinese, role == Role::subject ? word.subject : word.object),
              word.agreement, word.chinese, true};
    }
    default:
      return group(c, noun);
  }
}

NounPhrase person(Composer& c, Role role) {
  const size_t choice = c.below(100);
  if (choice < 36) return pronoun(c, role);
  if (choice < 52) return relative(c);
  if (choice < 66) return named(c);
  const Noun& noun = c.pick(people());
  if (choice < 82) return bare(c, noun);
  if (choice < 88) return group(c, noun);
  const Phrase trait = c.chance(0.3) ? attribute(c, traits(), kPerson) : Phrase{};
  return determined(c, known_determiner(c, noun), trait, noun);
}

NounPhrase another_person(Composer& c, Role role, const NounPhrase& other) {
  for (;;) {
    NounPhrase candidate = person(c, role);
    if (candidate.head != other.head && !(candidate.pronoun && other.pronoun)) return candidate;
  }
}

NounPhrase thing(Composer& c, const Noun& noun, Reference reference) {
  if (noun.measure.empty()) return {c.linked(noun.chinese, noun.english), Agreement::singular, noun.chinese};
  if (reference == Reference::in_general) {
    const bool counted = noun.container.empty();
    return {c.linked(noun.chinese, counted ? english::plural(noun.english) : std::string(noun.english)),
            counted ? Agreement::plural : Agreement::singular, noun.chinese};
  }
  const Phrase adjective =
      c.chance(0.3) ? attribute(c, thing_adjectives(), noun.kinds) : Phrase{};
  if (reference == Reference::either) {
    reference = c.chance(0.5) ? Reference::new_one : Reference::known;
  }
  if (reference == Reference::new_one) return determined(c, new_determiner(c, noun), adjective, noun);
  if (c.chance(0.4)) return owned(c, adjective, noun);
  return determined(c, known_determiner(c, noun), adjective, noun);
}

const Noun& pick_noun(Composer& c, std::span<const Noun> nouns, uint32_t kinds) {
  size_t fitting = 0;
  for (const Noun& noun : nouns) fitting += (noun.kinds & kinds) != 0;
  expects(fitting > 0, "the lexicon has a noun of these kinds");
  size_t left = c.skewed_below(fitting);
  for (const Noun& noun : nouns) {
    if ((noun.kinds & kinds) != 0 && left-- == 0) return noun;
  }
  return nouns.front();
}

const Noun& pick_countable(Composer& c, uint32_t kinds) {
  for (;;) {
    const Noun& noun = pick_noun(c, things(), kinds);
    if (!noun.measure.empty() && noun.container.empty()) return noun;
  }
}

const Adjective* pick_adjective(Composer& c, std::span<const Adjective> adjectives,
                                uint32_t kinds) {
  size_t fitting = 0;
  for (const Adjective& word : adjectives) fitting += (word.kinds & kinds) != 0;
  if (fitting == 0) return nullptr;
  size_t left = c.skewed_below(fitting);
  for (const Adjective& word : adjectives) {
    if ((word.kinds & kinds) != 0 && left-- == 0) return &word;
  }
  return nullptr;
}

Phrase attribute(Composer& c, std::span<const Adjective> adjectives, uint32_t kinds) {
  const Adjective* word = pick_adjective(c, adjectives, kinds);
  if (word == nullptr || !word->attributive) return {};
  const Phrase adjective = c.linked(word->chinese, word->english);
  const bool one_syllable = word->chinese.size() == 3;  // Bytes of one character.
  return one_syllable ? adjective : c.rule("{word} 的", "{word}", {{"word", adjective}});
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
  if (c.chance(0.6)) return bare(c, place);
  const Phrase adjective = c.chance(0.3) ? attribute(c, place_adjectives(), place.kinds) : Phrase{};
  return determined(c, pointer(c), adjective, place);
}

}  // namespace eatt::builtin::zh_en
