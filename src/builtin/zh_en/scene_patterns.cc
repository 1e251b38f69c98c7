#include "builtin/zh_en/events.h"
#include "builtin/zh_en/patterns.h"
#include "builtin/zh_en/predicates.h"
#include "builtin/zh_en/time_phrases.h"

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
