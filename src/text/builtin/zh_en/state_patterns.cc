#include "text/builtin/zh_en/english.h"
#include "text/builtin/zh_en/events.h"
#include "text/builtin/zh_en/numbers.h"
#include "text/builtin/zh_en/patterns.h"
#include "text/builtin/zh_en/predicates.h"
#include "text/builtin/zh_en/time_phrases.h"

namespace eatt::builtin::zh_en {
namespace {

// 桌子 上, 公园 旁边: where something is.
Phrase spot(Composer& c, const NounPhrase& place, const Name& word) {
  return c.rule("{place} {word}", "{word} {place}",
                {{"place", place.words}, {"word", c.linked(word.chinese, word.english)}});
}

constexpr Name kIn{"里", "in"};
constexpr Name kOn{"上", "on"};

// Somewhere, and what one may find there.
struct Scene {
  Phrase spot;
  const Noun* noun;
};

Scene indoor_scene(Composer& c) {
  if (c.chance(0.4)) {
    const NounPhrase room = bare(c, pick_noun(c, places(), kRoom));
    return {spot(c, room, kIn), &pick_noun(c, things(), kBulky)};
  }
  constexpr std::string_view kHolders[] = {"桌子", "床", "盒子", "箱子"};
  const size_t holder = c.below(4);
  const Phrase where = spot(c, bare(c, thing_called(kHolders[holder])), holder < 2 ? kOn : kIn);
  const Noun* noun = &pick_noun(c, things(), kPortable);
  while (noun->chinese == kHolders[holder]) noun = &pick_noun(c, things(), kPortable);
  return {where, noun};
}

Scene town_scene(Composer& c) {
  constexpr Name kBeside[] = {
      {"旁边", "next to"}, {"附近", "near"}, {"后面", "behind"}, {"前面", "in front of"}};
  const Noun& landmark = pick_noun(c, places(), kTown);
  const Phrase where = spot(c, bare(c, landmark), c.pick(kBeside));
  if (c.chance(0.3)) return {where, &pick_noun(c, things(), kPlant | kBuilding)};
  const Noun* other = &pick_noun(c, places(), kTown);
  while (other->chinese == landmark.chinese) other = &pick_noun(c, places(), kTown);
  return {where, other};
}

Scene scene(Composer& c) {
  switch (c.below(3)) {
    case 0:
      return indoor_scene(c);
    case 1:
      return town_scene(c);
    default: {
      const NounPhrase place = known_place(c, pick_noun(c, places(), kPlayPlace | kWaitPlace));
      return {spot(c, place, kIn), &c.pick(c.chance(0.7) ? people() : animals())};
    }
  }
}

}  // namespace

Phrase stative(Composer& c) {
  static constexpr Verb kLiveIn{"住 在", "live in", 0, kHabit};
  static constexpr Verb kComeFrom{"来自", "come from", 0, kHabit};
  Clause clause;
  clause.subject = person(c, Role::subject);
  if (c.chance(0.25)) {
    clause.verb = c.chance(0.5) ? &kLiveIn : &kComeFrom;
    clause.object = city_or_country(c).words;
    clause.tense = {Aspect::habit, c.chance(0.15)};
  } else {
    clause.verb = &c.pick(stative_verbs());
    clause.tense = {Aspect::habit, c.chance(0.3)};
    // Not a habit for its object: 喜欢 这 本 书.
    clause.object = object_of(c, *clause.verb, {Aspect::habit, /*negative=*/true}, clause.subject).words;
  }
  if (!clause.tense.negative && clause.subject.agreement == Agreement::plural &&
      clause.subject.head != "你" && c.chance(0.3)) {
    clause.adverb = c.linked("都", "all");
  }
  return full_stop(c, statement(c, clause));
}

Phrase person_is_noun(Composer& c) {
  const NounPhrase subject = person(c, Role::subject);
  const Noun* noun = &c.pick(people());
  while (noun->chinese == subject.head) noun = &c.pick(people());
  const std::string is = std::string(present_be(subject.agreement)) + "/1";
  if (subject.agreement == Agreement::plural && subject.head != "你") {
    return c.rule("{subject} 都/2 是/1 {noun} 。/3", "{subject} " + is + " all/2 {noun} ./3",
                  {{"subject", subject.words},
                   {"noun", c.linked(noun->chinese, english::plural(noun->english))}});
  }
  const Phrase word = c.linked(noun->chinese, noun->english);
  if (c.chance(0.25)) {
    return c.rule("{subject} 不/2 是/1 {noun} 。/3", "{subject} " + is + " not/2 a {noun} ./3",
                  {{"subject", subject.words}, {"noun", word}});
  }
  const Phrase trait = c.chance(0.5) ? attribute(c, traits(), kPerson) : Phrase{};
  return c.rule("{subject} 是/1 一/2 {measure} {trait} {noun} 。/3",
                "{subject} " + is + " a/2 {trait} {noun} ./3",
                {{"subject", subject.words},
                 {"measure", c.source_only(noun->measure)},
                 {"trait", trait},
                 {"noun", word}});
}

// 这 是 我 的 书: "This is my book"
Phrase this_is(Composer& c) {
  const Noun& noun = pick_countable(c, kPortable | kGoods | kReadable);
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
  const Phrase time = mood && c.chance(0.5) ? recent_past(c) : Phrase{};
  return full_stop(c, adjectival_clause(c, subject, c.pick(mood ? moods() : traits()), time));
}

Phrase exclamation(Composer& c) {
  const Described it = described_thing(c);
  const Phrase word = c.linked(it.adjective->chinese, it.adjective->english);
  if (c.chance(0.6) || !it.adjective->attributive || it.noun->measure.empty() ||
      !it.noun->container.empty()) {
    return c.rule("{subject} 真/1 {word} ！/2", "{subject} {be} really/1 {word} !/2",
                  {{"subject", it.subject.words},
                   {"be", c.target_only(present_be(it.subject.agreement))},
                   {"word", word}});
  }
  return c.rule("多么/1 {word} 的 {noun} 啊 ！/2", "what/1 a {word} {noun} !/2",
                {{"word", word}, {"noun", c.linked(it.noun->chinese, it.noun->english)}});
}

// 桌子 上 有 一 本 书: "There is a book on the table"
Phrase existence(Composer& c) {
  const bool past = c.chance(0.25);
  const Scene where = past ? town_scene(c) : scene(c);
  const NounPhrase what = counted(c, *where.noun);
  const std::string_view be = past ? past_be(what.agreement) : present_be(what.agreement);
  return c.rule("{time} {spot} 有/1 {what} 。/2",
                "there/1 " + std::string(be) + "/1 {what} {spot} {time} ./2",
                {{"time", past ? distant_past(c) : Phrase{}},
                 {"spot", where.spot},
                 {"what", what.words}});
}

// 教室 里 没有 学生: "There are no students in the classroom"
Phrase absence(Composer& c) {
  const Scene where = scene(c);
  const NounPhrase what = thing(c, *where.noun, Reference::in_general);
  return c.rule("{spot} 没有/1 {what} 。/2",
                "there/1 " + std::string(present_be(what.agreement)) + "/1 no/1 {what} {spot} ./2",
                {{"spot", where.spot}, {"what", what.words}});
}

Phrase possession(Composer& c) {
  static constexpr Verb kHave{"有", "have", 0, kHabit};
  Clause clause;
  clause.subject = person(c, Role::subject);
  clause.verb = &kHave;
  clause.tense = {Aspect::habit};
  if (c.chance(0.3)) {
    // 没有 is one word: "do not have".
    const Noun& noun = pick_countable(c, kGoods);
    const std::string_view english_do =
        clause.subject.agreement == Agreement::singular ? "does" : "do";
    return c.rule("{subject} 没有/1 {noun} 。/2",
                  "{subject} " + std::string(english_do) + "/1 not/1 have/1 a {noun} ./2",
                  {{"subject", clause.subject.words},
                   {"noun", c.linked(noun.chinese, noun.english)}});
  }
  const bool animal = c.chance(0.25);
  const Noun& noun = animal ? c.pick(animals()) : pick_noun(c, things(), kGoods | kPortable);
  clause.object = thing(c, noun, Reference::new_one).words;
  return full_stop(c, statement(c, clause));
}

Phrase weather(Composer& c) {
  static constexpr Verb kRain{"下雨", "rain", 0, kAllAspects};
  static constexpr Verb kSnow{"下雪", "snow", 0, kAllAspects};
  Clause clause;
  const Phrase town = c.chance(0.5) ? city(c).words : Phrase{};
  clause.subject.words = {town.source, {{"it"}}};  // 北京 下雨 了: "It rained in Beijing"
  if (!town.target.empty()) {
    clause.adjuncts = c.rule("", "in {town}", {{"town", {{}, town.target}}});
  }
  clause.verb = c.chance(0.6) ? &kRain : &kSnow;
  const bool negative = c.chance(0.3);
  switch (c.below(3)) {
    case 0:
      clause.tense = {Aspect::past, negative};
      clause.time = recent_past(c);
      break;
    case 1:
      clause.tense = {Aspect::future, negative};
      clause.time = near_future(c);
      break;
    default:
      clause.tense = {Aspect::progressive};
      clause.time = c.linked("现在", "now");
  }
  return full_stop(c, statement(c, clause));
}

}  // namespace eatt::builtin::zh_en
