#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr uint32_t kMotion = kPast | kFuture | kHabit | kModal;
constexpr Verb kGo{"去", "go to", 0, kMotion, kMemorable};
constexpr Verb kCome{"来", "come to", 0, kMotion, kMemorable};
constexpr Verb kLeave{"离开", "leave", 0, kMotion, kMemorable};
constexpr Verb kArriveIn{"到达", "arrive in", 0, kMotion, kMemorable};
constexpr Verb kArriveAt{"到达", "arrive at", 0, kMotion};
constexpr Verb kGoHome{"回家", "go home", 0, kMotion};

// 坐 火车: "by train". Nearby places are reached by bicycle or on foot, distant ones by plane.
Phrase transport(Composer& c, bool far) {
  switch (c.below(4)) {
    case 0:
      return c.rule("坐/1 火车/2", "by/1 train/2");
    case 1:
      return far ? c.rule("坐/1 飞机/2", "by/1 plane/2")
                 : c.rule("骑/1 自行车/2", "by/1 bicycle/2");
    case 2:
      return far ? c.rule("坐/1 飞机/2", "by/1 plane/2") : c.linked("走路", "on foot");
    default:
      return far ? c.rule("坐/1 火车/2", "by/1 train/2") : c.rule("坐/1 公共汽车/2", "by/1 bus/2");
  }
}

Tense motion_tense(Composer& c) {
  const bool negative = c.chance(0.2);
  switch (c.below(10)) {
    case 0:
    case 1:
      return {Aspect::future, negative};
    case 2:
      return {Aspect::modal, negative, &pick_modal(c, negative)};
    case 3:
      return {Aspect::habit};
    default:
      return {Aspect::past, negative};
  }
}

void set_motion_time(Composer& c, Clause& clause) {
  switch (clause.tense.aspect) {
    case Aspect::past:
      clause.time = past_time(c, *clause.verb);
      break;
    case Aspect::future:
      clause.time = future_time(c, *clause.verb);
      break;
    case Aspect::habit:
      clause.time = habit_time(c);
      break;
    default:
      clause.time = soon(c);
  }
  clause.time_place = pick_time_place(c, clause.subject, clause.time);
}

// A place in town to go to.
NounPhrase goal(Composer& c) { return known_place(c, pick_noun(c, places(), kTown)); }

// Something that people go out to do.
constexpr Kinds kErrandPlaces = kStudyPlace | kMealPlace | kShopPlace | kPlayPlace;

const Verb& errand(Composer& c) {
  for (;;) {
    const bool intransitive = c.chance(0.25);
    const Verb& verb =
        pick_verb(c, intransitive ? intransitives() : verbs(), kPast | kFuture | kModal);
    if ((verb.places & kErrandPlaces) != 0) return verb;
  }
}

NounPhrase errand_place(Composer& c, const Verb& verb) {
  for (;;) {
    const Noun& place = pick_noun(c, places(), verb.places & kErrandPlaces);
    if ((place.kinds & kTown) != 0) return known_place(c, place);
  }
}

}  // namespace

Phrase motion(Composer& c) {
  Clause clause;
  clause.subject = person(c, Role::subject);
  clause.tense = motion_tense(c);
  const size_t choice = c.below(10);
  const bool habit = clause.tense.aspect == Aspect::habit;
  const bool far = choice < 5 && !habit;
  if (choice == 9) {
    clause.verb = &kGoHome;
  } else if (habit) {
    clause.verb = &kGo;
    clause.object = goal(c).words;
  } else if (far) {
    constexpr const Verb* kFar[] = {&kGo, &kGo, &kLeave, &kCome, &kArriveIn};
    clause.verb = kFar[choice];
    clause.object = city_or_country(c).words;
  } else {
    constexpr const Verb* kNear[] = {&kGo, &kGo, &kGo, &kLeave, &kArriveAt};
    clause.verb = kNear[choice % 5];
    clause.object = goal(c).words;
  }
  if (clause.verb != &kLeave && c.chance(0.35)) clause.adjuncts = transport(c, far);
  set_motion_time(c, clause);
  return full_stop(c, statement(c, clause));
}

// 他 昨天 去 图书馆 借 了 一 本 书: 了 follows the second verb.
Phrase motion_with_purpose(Composer& c) {
  const NounPhrase subject = person(c, Role::subject);
  const Tense tense = motion_tense(c);
  const Verb& purpose = errand(c);
  // An everyday errand, so never "fifty years ago", whatever the verb.
  static constexpr Verb kErrand{"去", "go to", 0, kMotion};
  Clause clause{.subject = subject, .verb = &kErrand, .tense = tense};
  set_motion_time(c, clause);
  const bool time_first = clause.time_place != TimePlace::after_subject;
  const VerbGroup go = verb_group(c, kGo, tense, subject.agreement, Order::statement);
  const NounPhrase place = errand_place(c, purpose);
  Phrase object;
  if (purpose.objects != 0) object = object_of(c, purpose, tense, subject).words;
  return c.rule(
      time_first ? "{time} {subject} {marker} {go} {place} {purpose} {suffix} {object} 。/1"
                 : "{subject} {time} {marker} {go} {place} {purpose} {suffix} {object} 。/1",
      "{subject} {auxiliary} {negation} {modal} {go} {place} to {purpose} {object} {time} ./1",
      {{"time", clause.time},
       {"subject", subject.words},
       {"marker", go.marker},
       {"go", go.verb},
       {"place", place.words},
       {"purpose", c.linked(purpose.chinese, purpose.english)},
       {"suffix", go.suffix},
       {"object", object},
       {"auxiliary", go.auxiliary},
       {"negation", go.negation},
       {"modal", go.modal}});
}

// 坐 飞机 从 北京 到 上海 要 两 个 小时: "It takes two hours to go from … to … by plane"
Phrase journey(Composer& c) {
  const NounPhrase from = city(c);
  NounPhrase to = city(c);
  while (to.head == from.head) to = city(c);
  return c.rule("{how} 从/1 {from} 到/2 {to} 要/3 {n} 个 小时/4 。/5",
                "it takes/3 {n} hours/4 to go from/1 {from} to/2 {to} {how} ./5",
                {{"how", c.rule("坐/1 飞机/2", "by/1 plane/2")},
                 {"from", from.words},
                 {"to", to.words},
                 {"n", number_between(c, 2, 10)}});
}

}  // namespace eatt::builtin::zh_en
