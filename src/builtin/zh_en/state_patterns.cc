#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
Phrase stative(Composer& c) {
  static constexpr Verb kLive{"住", "live", 0, kHabit};
  static constexpr Verb kComeFrom{"来自", "come from", 0, kHabit};
  Clause clause;
  clause.subject = person(c, Role::subject);
  if (c.chance(0.25)) {
    const Phrase home = city_or_country(c).words;
    const bool lives = c.chance(0.5);
    clause.verb = lives ? &kLive : &kComeFrom;
    clause.object = lives ? c.rule("在/1 {home}", "in/1 {home}", {{"home", home}}) : home;
    clause.tense = {Aspect::habit, c.chance(0.15)};
  } else {
    clause.verb = &c.pick(stative_verbs());
    clause.tense = {Aspect::habit, c.chance(0.3)};
    // The negation requires a definite object: 喜欢 这 本 书; a habit would be 读 书.
    const Tense known{Aspect::habit, /*negative=*/true};
    clause.object = object_of(c, *clause.verb, known, clause.subject).words;
  }
  if (!clause.tense.negative && are_many(clause.subject) && c.chance(0.3)) {
    clause.adverb = c.linked("都", "all");
  }
  return full_stop(c, statement(c, clause));
}

// 她 穿着 一 件 红色 的 外套: "She is wearing a red coat"
Phrase clothing(Composer& c) {
  const NounPhrase who = single_person(c, Role::subject);
  const Noun& noun = pick_noun(c, things(), kWearable);
  const Phrase colour = attribute(c, thing_adjectives(), kColoured);
  return c.rule("{who} 穿着/1 {what} 。/2",
                "{who} " + std::string(present_be(who.agreement)) + "/1 wearing/1 {what} ./2",
                {{"who", who.words}, {"what", one(c, noun, colour).words}});
}

Phrase person_is_noun(Composer& c) {
  const NounPhrase who = jobless_person(c, Role::subject);
  const Noun& noun = pick_noun(c, people(), kJob);
  const std::string is = "{who} " + std::string(present_be(who.agreement)) + "/1 ";
  if (who.agreement == Agreement::plural && who.head != "你") {
    return c.rule("{who} {all} 是/1 {noun} 。/2", is + "{all} {noun} ./2",
                  {{"who", who.words},
                   {"all", are_many(who) ? c.linked("都", "all") : Phrase{}},
                   {"noun", c.linked(noun.chinese, english::plural(noun.english))}});
  }
  if (c.chance(0.25)) {
    return c.rule("{who} 不/2 是/1 {noun} 。/3", is + "not/2 a {noun} ./3",
                  {{"who", who.words}, {"noun", c.linked(noun.chinese, noun.english)}});
  }
  const Phrase trait = c.chance(0.6) ? attribute(c, traits(), noun.kinds) : Phrase{};
  return c.rule("{who} 是/1 {noun} 。/2", is + "{noun} ./2",
                {{"who", who.words}, {"noun", one(c, noun, trait).words}});
}

// 这 是 我 的 书: "This is my book"
Phrase this_is(Composer& c) {
  const Noun& noun = pick_countable(c, kPortable | kGoods);
  const bool near = c.chance(0.5);
  return c.rule("{this} 是/1 {what} 。/2", "{this} is/1 {what} ./2",
                {{"this", c.linked(near ? "这" : "那", near ? "this" : "that")},
                 {"what", owned(c, noun).words}});
}

Phrase thing_is_adjective(Composer& c) {
  const Described it = described_thing(c);
  return full_stop(c, adjectival_clause(c, it.subject, *it.adjective, {}));
}

Phrase person_is_adjective(Composer& c) {
  const NounPhrase subject = person(c, Role::subject);
  const bool mood = c.chance(0.6);
  const Phrase time = mood && c.chance(0.5) ? days_ago(c) : Phrase{};
  const Adjective* word = pick_adjective(c, mood ? moods() : traits(), kPerson);
  return full_stop(c, adjectival_clause(c, subject, *word, time));
}

Phrase exclamation(Composer& c) {
  const Described it = described_and_graded(c);
  const Phrase word = c.linked(it.adjective->chinese, it.adjective->english);
  const bool countable = !it.noun->measure.empty() && it.noun->container.empty();
  if (!countable || !it.adjective->attributive() || c.chance(0.6)) {
    return c.rule("{subject} 真/1 {word} ！/2", "{subject} {be} really/1 {word} !/2",
                  {{"subject", it.subject.words},
                   {"be", c.target_only(present_be(it.subject.agreement))},
                   {"word", word}});
  }
  return c.rule("多么/1 {word} 的 {noun} 啊 ！/2", "what/1 a {word} {noun} !/2",
                {{"word", word}, {"noun", c.linked(it.noun->chinese, it.noun->english)}});
}

Phrase possession(Composer& c) {
  static constexpr Verb kHave{"有", "have", 0, kHabit};
  const NounPhrase who = single_person(c, Role::subject);
  if (c.chance(0.3)) {
    const Noun& noun = pick_countable(c, kGoods);
    const std::string_view english_do = who.agreement == Agreement::singular ? "does" : "do";
    return c.rule("{who} 没有/1 {noun} 。/2",
                  "{who} " + std::string(english_do) + "/1 not/1 have/1 a {noun} ./2",
                  {{"who", who.words}, {"noun", c.linked(noun.chinese, noun.english)}});
  }
  Clause clause{.subject = who, .verb = &kHave, .tense = {Aspect::habit}};
  const Noun& noun =
      c.chance(0.25) ? c.pick(animals()) : pick_noun(c, things(), kGoods | kPortable);
  clause.object = thing(c, noun, Reference::unknown).words;
  return full_stop(c, statement(c, clause));
}

// 那 只 猫 昨天 抓住 了 一 只 老鼠: "That cat caught a mouse yesterday"
Phrase animal_event(Composer& c) {
  static constexpr Verb kSleep{"睡觉", "sleep", 0, kProgressive};
  static constexpr Verb kDrinking{"喝", "drink", 0, kProgressive};
  static constexpr Verb kEating{"吃", "eat", 0, kProgressive};
  static constexpr Verb kCatch{"抓住", "catch", 0, kPast};
  static constexpr Verb kBite{"咬", "bite", 0, kPast};
  const size_t choice = c.below(5);
  Clause clause;
  clause.tense = {Aspect::progressive};
  if (choice < 3) {
    constexpr std::string_view kGrazing[] = {"马", "羊", "牛", "兔子", "猴子", "大象"};
    const Noun& animal = choice == 2 ? called(animals(), c.pick(kGrazing))
                                     : pick_other(c, animals(), kAnimal, /*than=*/"鱼");
    clause.subject = thing(c, animal, Reference::known);
    if (choice == 0) {
      clause.verb = &kSleep;
      clause.adjuncts = location(c, pick_noun(c, places(), kPlayPlace), /*after_progressive=*/true);
    } else {
      clause.verb = choice == 1 ? &kDrinking : &kEating;
      clause.object =
          thing(c, called(things(), choice == 1 ? "水" : "苹果"), Reference::in_general).words;
    }
    return full_stop(c, statement(c, clause));
  }
  constexpr std::string_view kPrey[] = {"老鼠", "鸟", "兔子", "鱼"};
  const bool hunt = choice == 3;
  clause.subject =
      thing(c, called(animals(), hunt && c.chance(0.6) ? "猫" : "狗"), Reference::known);
  clause.verb = hunt ? &kCatch : &kBite;
  clause.object =
      hunt ? counted(c, called(animals(), c.pick(kPrey))).words : person(c, Role::object).words;
  clause.tense = {Aspect::past};
  clause.time = days_ago(c);
  clause.time_place = pick_time_place(c, clause.subject, clause.time);
  return full_stop(c, statement(c, clause));
}

}  // namespace eatt::builtin::zh_en
