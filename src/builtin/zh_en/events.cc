#include <algorithm>

#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/noun_phrases.h"

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

bool goes_on(const Tense& tense) {
  return tense.aspect == Aspect::progressive || tense.aspect == Aspect::background;
}

// 跟 朋友 一起: "with a friend"
Phrase companion(Composer& c, const NounPhrase& subject) {
  const NounPhrase other = another_person(c, Role::object, subject);
  return c.rule("跟/1 {other} 一起/1", "with/1 {other}", {{"other", other.words}});
}

// Adjuncts next to the verb: for whom, with what, from where, how.
Phrase inner_adjunct(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject) {
  constexpr Name kManners[] = {{"认真", "carefully"}, {"安静", "quietly"}};
  if ((verb.traits & kForSomeone) != 0 && c.chance(0.35)) {
    const NounPhrase other = another_person(c, Role::object, subject);
    return c.rule("给/1 {other}", "for/1 {other}", {{"other", other.words}});
  }
  if ((verb.traits & kFromLibrary) != 0 && c.chance(0.4)) {
    return c.rule("从/1 图书馆/2", "from/1 the library/2");
  }
  if ((verb.traits & kByComputer) != 0 && c.chance(0.3)) {
    return c.rule("用/1 电脑/2", "with/1 a computer/2");
  }
  if ((verb.traits & kByCamera) != 0 && c.chance(0.4)) {
    return c.chance(0.5) ? c.rule("用/1 手机/2", "with/1 a phone/2")
                         : c.rule("用/1 相机/2", "with/1 a camera/2");
  }
  if ((verb.traits & kCarefully) != 0 && !tense.negative && c.chance(0.35)) {
    const Name& manner = c.pick(kManners);
    return c.rule("{manner} 地", "{manner}",
                  {{"manner", c.linked(manner.chinese, manner.english)}});
  }
  return {};
}

// In Chinese the place comes before the adjuncts next to the verb, in English after them.
Phrase adjuncts(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject) {
  Phrase place, partner;
  if (verb.places != 0 && c.chance(0.5)) {
    place = location(c, pick_noun(c, places(), verb.places), goes_on(tense));
  }
  const Phrase inner = inner_adjunct(c, verb, tense, subject);
  const bool room = inner.source.empty();  // Not both "for somebody" and "with somebody".
  if (room && (verb.traits & kTogether) != 0 && c.chance(0.3)) partner = companion(c, subject);
  return c.rule("{place} {partner} {inner}", "{inner} {partner} {place}",
                {{"place", place}, {"partner", partner}, {"inner", inner}});
}

Phrase frequency(Composer& c) {
  constexpr Name kFrequencies[] = {{"经常", "often"},
                                   {"总是", "always"},
                                   {"有时", "sometimes"},
                                   {"通常", "usually"},
                                   {"很少", "seldom"}};
  const Name& word = c.pick(kFrequencies);
  return c.linked(word.chinese, word.english);
}

// 也 "also"; 都 "all", if the subject is three people or more.
Phrase focus(Composer& c, const NounPhrase& subject) {
  return are_many(subject) ? c.linked("都", "all") : c.linked("也", "also");
}

// A meal such as lunch already implies the hour.
Detail detail(const Verb& verb) { return verb.objects == kMeal ? Detail::day : Detail::hour; }

// 了 or 没 mark the past, so a date without a year is enough.
Phrase marked_past(Composer& c, const Clause& clause) {
  const Verb& verb = *clause.verb;
  if ((verb.traits & kSlow) == 0 && c.chance(0.1)) return month_and_day(c);
  const bool young = (clause.subject.kinds & kYoung) != 0;
  return young ? days_ago(c, detail(verb)) : past_time(c, verb);
}

Phrase marked_future(Composer& c, const Verb& verb) {
  if ((verb.traits & kSlow) == 0 && c.chance(0.1)) return month_and_day(c);
  return future_time(c, verb);
}

// How the object is referred to.
Reference object_reference(Composer& c, const Verb& verb, const Tense& tense, const Noun& noun) {
  const bool eaten = (noun.kinds & (kFood | kDrink)) != 0;
  if (tense.aspect == Aspect::habit && !tense.negative) return Reference::in_general;
  const bool ever = tense.aspect == Aspect::experience || tense.aspect == Aspect::never;
  if (eaten && (goes_on(tense) || ever)) return Reference::in_general;  // 正在 喝 茶, 喝 过 茶
  const bool denied =
      tense.negative || tense.aspect == Aspect::yet || tense.aspect == Aspect::never;
  const Reference unknown = goes_on(tense) ? Reference::single : Reference::unknown;
  if (!denied && (verb.traits & kCreates) != 0) return unknown;
  if (denied || (verb.traits & kDefinite) != 0 || c.chance(0.5)) {
    return (verb.traits & (kShown | kCreates)) != 0 ? Reference::shown : Reference::known;
  }
  return unknown;
}

NounPhrase affected_person(Composer& c, const Verb& verb, const NounPhrase& subject) {
  for (;;) {
    NounPhrase who = another_person(c, Role::object, subject);
    if ((verb.traits & kNotFamily) == 0 || (who.kinds & kFamily) == 0) return who;
  }
}

// The time, or for habits the frequency, that goes with the tense.
void set_time(Composer& c, Clause& clause, bool with_time) {
  switch (clause.tense.aspect) {
    case Aspect::past:
      if (with_time) clause.time = marked_past(c, clause);
      break;
    case Aspect::future:
      if (with_time) clause.time = marked_future(c, *clause.verb);
      break;
    case Aspect::habit:
      if (with_time && c.chance(0.5)) {
        clause.time = habit_time(c, detail(*clause.verb));
      } else {
        clause.adverb = frequency(c);
      }
      break;
    case Aspect::progressive:
      if (with_time && c.chance(0.3)) clause.time = c.linked("现在", "now");
      break;
    case Aspect::modal:
      if (with_time && c.chance(0.5)) clause.time = soon(c, detail(*clause.verb));
      break;
    default:
      break;  // No time with the perfect.
  }
  clause.time_place = pick_time_place(c, clause.subject, clause.time);
}

}  // namespace

const Verb& pick_verb(Composer& c, std::span<const Verb> list, uint32_t aspects, uint32_t traits) {
  for (;;) {
    const Verb& verb = c.pick(list);
    if ((verb.aspects & aspects) == aspects && (traits == 0 || (verb.traits & traits) != 0)) {
      return verb;
    }
  }
}

NounPhrase object_of(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject) {
  if ((verb.traits & kPlaceObject) != 0) {
    return known_place(c, pick_noun(c, places(), verb.objects));
  }
  // People and animals are separate lists: a verb that also takes things chooses among the lists.
  if ((verb.objects & kPerson) != 0 && (verb.objects == kPerson || c.chance(0.4))) {
    return affected_person(c, verb, subject);
  }
  const bool animal = (verb.objects & kAnimal) != 0 && (verb.objects == kAnimal || c.chance(0.2));
  const bool drawn = (verb.objects & kDrawable) != 0 && c.chance(0.7);
  const Noun& noun = pick_noun(c, animal || drawn ? animals() : things(), verb.objects);
  if ((verb.traits & kBareObject) != 0) return bare(c, noun);
  const Reference reference = object_reference(c, verb, tense, noun);
  NounPhrase object = thing(c, noun, reference);
  // One reads a single thing at a time.
  while (goes_on(tense) && reference != Reference::in_general &&
         object.agreement == Agreement::plural) {
    object = thing(c, noun, reference);
  }
  return object;
}

NounPhrase requested_object(Composer& c, const Verb& verb, const NounPhrase& doer) {
  if ((verb.traits & kCreates) == 0) return object_of(c, verb, {Aspect::past, true}, doer);
  const bool drawn = (verb.objects & kDrawable) != 0 && c.chance(0.7);
  return one(c, pick_noun(c, drawn ? animals() : things(), verb.objects), {});
}

Phrase past_time(Composer& c, const Verb& verb) {
  if ((verb.traits & kSlow) != 0) return long_ago(c);
  const bool memorable = (verb.traits & kMemorable) != 0;
  return memorable && c.chance(0.7) ? long_ago(c) : days_ago(c, detail(verb));
}

Phrase future_time(Composer& c, const Verb& verb) {
  if ((verb.traits & kSlow) != 0) return later_on(c);
  const bool memorable = (verb.traits & kMemorable) != 0;
  return memorable && c.chance(0.5) ? later_on(c) : in_days(c, detail(verb));
}

TimePlace pick_time_place(Composer& c, const NounPhrase& subject, const Phrase& time) {
  // "Three days ago , …" at the start would need every number capitalized, too.
  constexpr std::string_view kStarts[] = {"yesterday", "tomorrow", "last", "next",
                                          "this",      "in",       "on",   "every"};
  if (time.target.empty()) return TimePlace::after_subject;
  const bool may_start = std::ranges::find(kStarts, time.target.front().text) != std::end(kStarts);
  if (may_start && c.chance(0.2)) return TimePlace::set_off;
  return c.chance(subject.pronoun ? 0.25 : 0.55) ? TimePlace::before_subject
                                                 : TimePlace::after_subject;
}

Phrase location(Composer& c, const Noun& place, bool after_progressive) {
  const NounPhrase name = known_place(c, place);
  const bool at = (place.kinds & kAt) != 0;
  if (after_progressive) {
    return at ? c.rule("{place}", "at {place}", {{"place", name.words}})
              : c.rule("{place} 里/1", "in/1 {place}", {{"place", name.words}});
  }
  return at ? c.rule("在/1 {place}", "at/1 {place}", {{"place", name.words}})
            : c.rule("在/1 {place} 里/1", "in/1 {place}", {{"place", name.words}});
}

Clause event(Composer& c, const NounPhrase& subject, const EventWish& wish) {
  const AspectSet aspect = needed_aspect(wish.tense.aspect);
  const bool intransitive = wish.with_intransitives && aspect != kPerfect && c.chance(0.18);
  Clause clause{.subject = subject, .tense = wish.tense};
  const bool young = (subject.kinds & kYoung) != 0;
  do {
    clause.verb = &pick_verb(c, intransitive ? intransitives() : verbs(), aspect, wish.traits);
  } while (young && (clause.verb->traits & kGrownUp) != 0);
  if (!intransitive) clause.object = object_of(c, *clause.verb, clause.tense, subject).words;
  if (wish.with_adjuncts) clause.adjuncts = adjuncts(c, *clause.verb, clause.tense, subject);
  set_time(c, clause, wish.with_time);
  const bool simple = aspect == kPast || aspect == kProgressive || aspect == kFuture;
  if (simple && wish.with_focus && !wish.tense.negative && c.chance(0.12))
    clause.adverb = focus(c, subject);
  return clause;
}

}  // namespace eatt::builtin::zh_en
