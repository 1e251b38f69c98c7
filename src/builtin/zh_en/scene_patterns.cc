#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

Phrase event_sentence(Composer& c, const Tense& tense) {
  const NounPhrase subject = person(c, Role::subject);
  return full_stop(c, statement(c, event(c, subject, {.tense = tense})));
}

}  // namespace

Phrase past_event(Composer& c) { return event_sentence(c, {Aspect::past}); }

Phrase past_negation(Composer& c) { return event_sentence(c, {Aspect::past, /*negative=*/true}); }

Phrase progressive_event(Composer& c) { return event_sentence(c, {Aspect::progressive}); }

Phrase future_event(Composer& c) { return event_sentence(c, {Aspect::future, c.chance(0.3)}); }

Phrase habit(Composer& c) {
  if (c.chance(0.8)) return event_sentence(c, {Aspect::habit});
  // 从来 不: "never"
  const NounPhrase subject = person(c, Role::subject);
  Clause clause = event(c, subject, {.tense = {Aspect::habit}});
  clause.time = {};
  clause.time_place = TimePlace::after_subject;
  clause.adverb = c.linked("从来 不", "never");
  return full_stop(c, statement(c, clause));
}

Phrase experience(Composer& c) {
  if (c.chance(0.2)) return event_sentence(c, {Aspect::never});
  return event_sentence(c, {Aspect::experience, c.chance(0.35)});
}

Phrase perfect_event(Composer& c) {
  constexpr Aspect kAspects[] = {Aspect::already, Aspect::yet, Aspect::just};
  return event_sentence(c, {c.pick(kAspects)});
}

Phrase modal_event(Composer& c) {
  const bool negative = c.chance(0.3);
  return event_sentence(c, {Aspect::modal, negative, &pick_modal(c, negative)});
}

// 他 在 北京 工作 了 三 年: "He worked in Beijing for three years"
Phrase duration(Composer& c) {
  const NounPhrase subject = person(c, Role::subject);
  if (c.chance(0.3)) {
    const NounPhrase other = another_person(c, Role::object, subject);
    return c.rule("{subject} {time} 等/1 了 {other} {span} 。/2",
                  "{subject} waited/1 for/1 {other} {span} {time} ./2",
                  {{"subject", subject.words},
                   {"time", days_ago(c)},
                   {"other", other.words},
                   {"span", hours_long(c)}});
  }
  if (c.chance(0.4)) {
    const Noun& language = pick_noun(c, things(), kSubject);
    return c.rule("{subject} 学习/1 了 {span} {language} 。/2",
                  "{subject} studied/1 {language} {span} ./2",
                  {{"subject", subject.words},
                   {"span", years_long(c)},
                   {"language", thing(c, language, Reference::in_general).words}});
  }
  const Phrase verb = c.chance(0.5) ? c.linked("住", "lived") : c.linked("工作", "worked");
  return c.rule("{subject} 在/1 {city} {verb} 了 {span} 。/2",
                "{subject} {verb} in/1 {city} {span} ./2",
                {{"subject", subject.words},
                 {"city", city_or_country(c).words},
                 {"verb", verb},
                 {"span", years_long(c)}});
}

// 他 去 过 三 次 北京: "He has been to Beijing three times"
Phrase visits(Composer& c) {
  static constexpr Verb kBeen{"去", "be to", 0, kPerfect};
  Clause clause;
  clause.subject = person(c, Role::subject);
  clause.verb = &kBeen;
  const Phrase city = city_or_country(c).words;
  if (c.chance(0.3)) {
    clause.tense = {c.chance(0.5) ? Aspect::experience : Aspect::never, true};
    clause.object = city;
  } else {
    clause.tense = {Aspect::experience};
    clause.object =
        c.rule("{n} 次/1 {city}", "{city} {n} times/1", {{"n", small_number(c)}, {"city", city}});
  }
  return full_stop(c, statement(c, clause));
}

namespace {

// 桌子 上, 公园 旁边: where something is.
Phrase spot(Composer& c, const NounPhrase& place, const Name& word) {
  return c.rule("{place} {word}", "{word} {place}",
                {{"place", place.words}, {"word", c.linked(word.chinese, word.english)}});
}

constexpr Name kIn{"里", "in"};
constexpr Name kOn{"上", "on"};

// A place and what can be found there.
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
  const size_t holder = c.below(std::size(kHolders));
  const NounPhrase place = bare(c, called(things(), kHolders[holder]));
  return {spot(c, place, holder < 2 ? kOn : kIn),
          &pick_other(c, things(), kPortable, kHolders[holder])};
}

Scene crowd_scene(Composer& c) {
  const bool human = c.chance(0.7);
  const Kinds kinds = human ? kPlayPlace | kWaitPlace : kPlayPlace;
  const NounPhrase place = known_place(c, pick_noun(c, places(), kinds));
  return {spot(c, place, kIn), &c.pick(human ? people() : animals())};
}

Scene town_scene(Composer& c) {
  constexpr Name kBeside[] = {
      {"旁边", "next to"}, {"附近", "near"}, {"后面", "behind"}, {"前面", "in front of"}};
  const Noun& landmark = pick_noun(c, places(), kTown);
  const Phrase where = spot(c, bare(c, landmark), c.pick(kBeside));
  if (c.chance(0.3)) return {where, &pick_noun(c, things(), kPlant | kBuilding)};
  return {where, &pick_other(c, places(), kTown, landmark.chinese)};
}

}  // namespace

// 桌子 上 有 一 本 书: "There is a book on the table"
Phrase existence(Composer& c) {
  const size_t choice = c.below(4);
  const bool past = choice == 0;
  const Scene scene = choice < 2 ? town_scene(c) : choice == 2 ? crowd_scene(c) : indoor_scene(c);
  const bool place = (scene.noun->kinds & kTown) != 0;
  const NounPhrase what = place ? one(c, *scene.noun, {}) : counted(c, *scene.noun);
  const std::string_view be = past ? past_be(what.agreement) : present_be(what.agreement);
  const Phrase time = past ? years_ago(c) : Phrase{};
  return c.rule("{time} {spot} 有/1 {what} 。/2",
                "there/1 " + std::string(be) + "/1 {what} {spot} {time} ./2",
                {{"time", time}, {"spot", scene.spot}, {"what", what.words}});
}

// 教室 里 没有 学生: "There are no students in the classroom"
Phrase absence(Composer& c) {
  const Scene scene = c.chance(0.5) ? crowd_scene(c) : indoor_scene(c);
  const NounPhrase what = thing(c, *scene.noun, Reference::in_general);
  return c.rule("{spot} 没有/1 {what} 。/2",
                "there/1 " + std::string(present_be(what.agreement)) + "/1 no/1 {what} {spot} ./2",
                {{"spot", scene.spot}, {"what", what.words}});
}

// 北京 昨天 下雨 了: "It rained in Beijing yesterday"
Phrase weather(Composer& c) {
  static constexpr Verb kRain{"下雨", "rain", 0, kAllAspects};
  static constexpr Verb kSnow{"下雪", "snow", 0, kAllAspects};
  const Phrase town = c.chance(0.6) ? city(c).words : Phrase{};
  const Phrase it{town.source, {{"it"}}};
  const Phrase place =
      town.target.empty() ? Phrase{} : c.rule("", "in {town}", {{"town", Phrase{{}, town.target}}});
  if (c.chance(0.4)) {
    const bool past = c.chance(0.6);
    const Phrase time = past ? days_ago(c) : c.linked("现在", "now");
    const Adjective& word = c.pick(weather_adjectives());
    return c.rule("{it} {time} {very} {word} 。/1", "{it} {be} {very} {word} {place} {time} ./1",
                  {{"it", it},
                   {"time", time},
                   {"very", c.chance(0.7) ? c.linked("很", "very") : c.linked("非常", "extremely")},
                   {"word", c.linked(word.chinese, word.english)},
                   {"be", c.target_only(past ? "was" : "is")},
                   {"place", place}});
  }
  Clause clause;
  clause.subject.words = it;
  clause.adjuncts = place;
  clause.verb = c.chance(0.6) ? &kRain : &kSnow;
  const bool negative = c.chance(0.3);
  const bool past = c.chance(0.5);
  clause.tense = {past ? Aspect::past : Aspect::future, negative};
  clause.time = past ? days_ago(c) : in_days(c);
  return full_stop(c, statement(c, clause));
}

}  // namespace eatt::builtin::zh_en
