#include "text/builtin/zh_en/events.h"

#include "base/error.h"
#include "text/builtin/zh_en/time_phrases.h"

namespace eatt::builtin::zh_en {
namespace {

AspectSet needed_aspect(Aspect aspect) {
  switch (aspect) {
    case Aspect::past:
      return kPast;
    case Aspect::progressive:
    case Aspect::background:
      return kProgressive;
    case Aspect::future:
      return kFuture;
    case Aspect::habit:
      return kHabit;
    case Aspect::modal:
      return kModal;
    default:
      return kPerfect;
  }
}

// 跟 朋友 一起: "with a friend"
Phrase companion(Composer& c, const NounPhrase& subject) {
  const NounPhrase other = another_person(c, Role::object, subject);
  return c.rule("跟/1 {other} 一起/1", "with/1 {other}", {{"other", other.words}});
}

// What stands next to the verb: for whom, with what, from where, how.
Phrase inner_adjunct(Composer& c, const Verb& verb, const NounPhrase& subject) {
  struct Manner {
    std::string_view chinese, english;
  };
  constexpr Manner kManners[] = {{"认真", "carefully"}, {"安静", "quietly"}, {"高兴", "happily"}};
  if ((verb.traits & kForSomeone) != 0 && c.chance(0.3)) {
    const NounPhrase other = another_person(c, Role::object, subject);
    return c.rule("给/1 {other}", "for/1 {other}", {{"other", other.words}});
  }
  if ((verb.traits & kFromLibrary) != 0 && c.chance(0.4)) {
    return c.rule("从/1 图书馆/2", "from/1 the library/2");
  }
  if ((verb.traits & kByComputer) != 0 && c.chance(0.3)) {
    return c.rule("用/1 电脑/2", "with/1 a computer/2");
  }
  if ((verb.traits & kByCamera) != 0 && c.chance(0.3)) {
    return c.chance(0.5) ? c.rule("用/1 手机/2", "with/1 a phone/2")
                         : c.rule("用/1 相机/2", "with/1 a camera/2");
  }
  if ((verb.traits & kCarefully) != 0 && c.chance(0.3)) {
    const Manner& manner = c.pick(kManners);
    return c.rule("{manner} 地", "{manner}", {{"manner", c.linked(manner.chinese, manner.english)}});
  }
  return {};
}

Phrase adjuncts(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject) {
  Phrase place, partner;
  if (verb.places != 0 && c.chance(0.3)) {
    place = location(c, known_place(c, pick_noun(c, places(), verb.places)),
                     tense.aspect == Aspect::progressive || tense.aspect == Aspect::background);
  }
  const Phrase inner = inner_adjunct(c, verb, subject);
  const bool room = inner.source.empty();  // Never both: nobody sings for A with B.
  if (room && (verb.traits & kTogether) != 0 && c.chance(0.25)) partner = companion(c, subject);
  return c.rule("{place} {partner} {inner}", "{inner} {partner} {place}",
                {{"place", place}, {"partner", partner}, {"inner", inner}});
}

Phrase frequency(Composer& c) {
  struct Frequency {
    std::string_view chinese, english;
  };
  constexpr Frequency kFrequencies[] = {{"经常", "often"},     {"总是", "always"},
                                        {"有时", "sometimes"}, {"通常", "usually"},
                                        {"很少", "seldom"}};
  const Frequency& word = c.pick(kFrequencies);
  return c.linked(word.chinese, word.english);
}

// 也 "also"; 都 "all", if the subject is a plural.
Phrase focus(Composer& c, const NounPhrase& subject) {
  if (subject.agreement == Agreement::plural && subject.head != "你" && c.chance(0.5)) {
    return c.linked("都", "all");
  }
  return c.linked("也", "also");
}

// The time, or for habits the frequency, that the tense asks for.
void set_time(Composer& c, Clause& clause, bool with_time) {
  switch (clause.tense.aspect) {
    case Aspect::past:
      if (with_time) clause.time = past_time(c, *clause.verb);
      break;
    case Aspect::future:
      if (with_time) clause.time = near_future(c);
      break;
    case Aspect::habit:
      if (with_time && c.chance(0.5)) {
        clause.time = habit_time(c);
      } else {
        clause.adverb = frequency(c);
      }
      break;
    case Aspect::progressive:
      if (with_time && c.chance(0.3)) clause.time = c.linked("现在", "now");
      break;
    case Aspect::modal:
      if (with_time && c.chance(0.5)) clause.time = near_future(c);
      break;
    default:
      break;  // The perfect has no time.
  }
  if (!clause.time.source.empty()) clause.time_place = pick_time_place(c, clause.subject);
}

}  // namespace

const Verb& pick_verb(Composer& c, std::span<const Verb> list, uint32_t aspects) {
  for (;;) {
    const Verb& verb = c.pick(list);
    if ((verb.aspects & aspects) == aspects) return verb;
  }
}

NounPhrase object_of(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject) {
  if ((verb.traits & kPlaceObject) != 0) {
    return known_place(c, pick_noun(c, places(), verb.objects));
  }
  // Of the kinds a verb takes, people are a choice of their own: they outnumber the rest.
  if ((verb.objects & kPerson) != 0 && (verb.objects == kPerson || c.chance(0.3))) {
    return another_person(c, Role::object, subject);
  }
  const bool animal = (verb.objects & kAnimal) != 0 && (verb.objects == kAnimal || c.chance(0.2));
  const bool drawn = (verb.objects & kDrawable) != 0 && c.chance(0.6);
  const Noun& noun = pick_noun(c, animal || drawn ? animals() : things(), verb.objects);
  if ((verb.traits & kBareObject) != 0) return bare(c, noun);
  if (tense.aspect == Aspect::habit && !tense.negative) return thing(c, noun, Reference::in_general);
  const bool known = tense.negative || tense.aspect == Aspect::yet || tense.aspect == Aspect::never ||
                     (verb.traits & kDefinite) != 0;
  return thing(c, noun, known ? Reference::known : Reference::either);
}

Phrase past_time(Composer& c, const Verb& verb) {
  const bool memorable = (verb.traits & kMemorable) != 0;
  return memorable && c.chance(0.6) ? distant_past(c) : recent_past(c);
}

TimePlace pick_time_place(Composer& c, const NounPhrase& subject) {
  if (c.chance(0.1)) return TimePlace::set_off;
  return c.chance(subject.pronoun ? 0.25 : 0.55) ? TimePlace::before_subject
                                                 : TimePlace::after_subject;
}

Phrase location(Composer& c, const NounPhrase& place, bool after_progressive) {
  if (after_progressive) return c.rule("{place} 里/1", "in/1 {place}", {{"place", place.words}});
  return c.rule("在/1 {place} 里/1", "in/1 {place}", {{"place", place.words}});
}

Clause event(Composer& c, const NounPhrase& subject, const EventWish& wish) {
  Clause clause;
  clause.subject = subject;
  clause.tense = wish.tense;
  const bool intransitive = wish.with_intransitives && c.chance(0.15) &&
                            needed_aspect(wish.tense.aspect) != kPerfect;
  clause.verb = &pick_verb(c, intransitive ? intransitives() : verbs(),
                           needed_aspect(wish.tense.aspect));
  if (!intransitive) clause.object = object_of(c, *clause.verb, clause.tense, subject).words;
  if (wish.with_adjuncts) clause.adjuncts = adjuncts(c, *clause.verb, clause.tense, subject);
  set_time(c, clause, wish.with_time);
  const bool simple = wish.tense.aspect == Aspect::past || wish.tense.aspect == Aspect::progressive ||
                      wish.tense.aspect == Aspect::future;
  if (simple && !wish.tense.negative && c.chance(0.08)) clause.adverb = focus(c, subject);
  return clause;
}

}  // namespace eatt::builtin::zh_en
