#include "builtin/zh_en/events.h"
#include "builtin/zh_en/numbers.h"
#include "builtin/zh_en/patterns.h"
#include "builtin/zh_en/time_phrases.h"

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

}  // namespace eatt::builtin::zh_en
