#include "text/builtin/zh_en/events.h"
#include "text/builtin/zh_en/english.h"
#include "text/builtin/zh_en/patterns.h"
#include "text/builtin/zh_en/predicates.h"
#include "text/builtin/zh_en/time_phrases.h"

namespace eatt::builtin::zh_en {
namespace {

using english::Form;
using english::inflect;

constexpr Verb kRain{"下雨", "rain", 0, kAllAspects};
constexpr Verb kSnow{"下雪", "snow", 0, kAllAspects};
constexpr Verb kHave{"有", "have", 0, kHabit};

NounPhrase it(Composer& c) { return {.words = c.target_only("it")}; }

const Verb& rain_or_snow(Composer& c) { return c.chance(0.6) ? kRain : kSnow; }

// Both clauses have one subject; only a pronoun can be said twice.
NounPhrase pronoun(Composer& c) {
  for (;;) {
    NounPhrase who = person(c, Role::subject);
    if (who.pronoun) return who;
  }
}

// Words of its own for a second mention: fresh links.
NounPhrase again(Composer& c, const NounPhrase& who) {
  NounPhrase copy = who;
  const int link = c.new_link();
  for (Token& token : copy.words.source) token.link = link;
  for (Token& token : copy.words.target) token.link = link;
  return copy;
}

// S 没有 时间: "S does not have time"
Phrase lacks(Composer& c, const NounPhrase& who) {
  const std::string_view english_do = who.agreement == Agreement::singular ? "does" : "do";
  return c.rule("{who} 没有/1 {what}", "{who} " + std::string(english_do) + "/1 not/1 have/1 {what}",
                {{"who", who.words},
                 {"what", c.chance(0.5) ? c.linked("时间", "time") : c.linked("钱", "money")}});
}

// What somebody does not do when he is tired or it rains.
Phrase stayed_away(Composer& c, const NounPhrase& who) {
  static constexpr Verb kGo{"去", "go to", 0, kPast};
  Clause clause{.subject = who, .verb = &kGo, .tense = {Aspect::past, /*negative=*/true}};
  if (c.chance(0.5)) {
    clause.object = known_place(c, pick_noun(c, places(), kTown)).words;
    return statement(c, clause);
  }
  return statement(c, event(c, who, {.tense = clause.tense, .with_time = false}));
}

}  // namespace

// 因为 A ， 所以 B: "B because A"
Phrase because(Composer& c) {
  Phrase cause, effect;
  switch (c.below(3)) {
    case 0: {  // It rained, and somebody stayed at home.
      Clause rain{.subject = it(c), .verb = &rain_or_snow(c), .tense = {Aspect::past}};
      rain.time = recent_past(c);
      cause = statement(c, rain);
      effect = stayed_away(c, person(c, Role::subject));
      break;
    }
    case 1: {
      const NounPhrase who = pronoun(c);
      cause = adjectival_clause(c, who, c.pick(moods()), recent_past(c));
      effect = stayed_away(c, again(c, who));
      break;
    }
    default: {
      const NounPhrase who = pronoun(c);
      cause = lacks(c, who);
      const Tense tense{Aspect::modal, true, &pick_modal(c, true)};
      effect = statement(c, event(c, again(c, who), {.tense = tense, .with_time = false}));
    }
  }
  return c.rule("因为/1 {cause} ， 所以 {effect} 。/2", "{effect} because/1 {cause} ./2",
                {{"cause", cause}, {"effect", effect}});
}

// 虽然 A ， 但是 B: "Although A , B"
Phrase although(Composer& c) {
  Phrase obstacle;
  NounPhrase who;
  if (c.chance(0.4)) {
    Clause rain{.subject = it(c), .verb = &rain_or_snow(c), .tense = {Aspect::past}};
    rain.time = recent_past(c);
    obstacle = statement(c, rain);
    who = person(c, Role::subject);
  } else {
    const NounPhrase first = pronoun(c);
    obstacle = adjectival_clause(c, first, c.pick(moods()), recent_past(c));
    who = again(c, first);
  }
  Clause clause = event(c, who, {.tense = {Aspect::past}, .with_time = false});
  clause.adverb = c.linked("还是", "still");
  return c.rule("虽然/1 {obstacle} ，/2 但是 {event} 。/3", "although/1 {obstacle} ,/2 {event} ./3",
                {{"obstacle", obstacle}, {"event", statement(c, clause)}});
}

// 如果 A ， B 就 …: "If A , B will …"
Phrase condition(Composer& c) {
  Phrase premise;
  if (c.chance(0.5)) {
    Clause rain{.subject = it(c), .verb = &rain_or_snow(c), .tense = {Aspect::habit, c.chance(0.4)}};
    rain.time = near_future(c);
    premise = statement(c, rain);
  } else {
    Clause has{.subject = person(c, Role::subject), .verb = &kHave, .tense = {Aspect::habit}};
    has.object = c.chance(0.5) ? c.linked("时间", "time") : c.linked("钱", "money");
    premise = statement(c, has);
  }
  const bool negative = c.chance(0.35);
  Clause result = event(c, person(c, Role::subject),
                        {.tense = {Aspect::future, negative}, .with_time = false});
  result.adverb = c.source_only("就");
  return c.rule("如果/1 {premise} ，/2 {result} 。/3", "if/1 {premise} ,/2 {result} ./3",
                {{"premise", premise}, {"result", statement(c, result)}});
}

// 我 昨天 到家 的 时候 ， 妈妈 正在 做饭: "When I got home yesterday , … was cooking"
Phrase simultaneous(Composer& c) {
  const NounPhrase first = person(c, Role::subject);
  const NounPhrase second = another_person(c, Role::subject, first);
  const Phrase arrival =
      c.chance(0.5) ? c.linked("到家", "got home")
                    : c.rule("离开/1 {place}", "left/1 {place}",
                             {{"place", known_place(c, pick_noun(c, places(), kTown)).words}});
  const Clause clause = event(c, second, {.tense = {Aspect::background}, .with_time = false});
  return c.rule("{first} {time} {arrival} 的/1 时候/1 ，/2 {background} 。/3",
                "when/1 {first} {arrival} {time} ,/2 {background} ./3",
                {{"first", first.words},
                 {"time", recent_past(c)},
                 {"arrival", arrival},
                 {"background", statement(c, clause)}});
}

// A ， 但是 B: "A , but B"
Phrase contrast(Composer& c) {
  const NounPhrase who = pronoun(c);
  Phrase first, second;
  if (c.chance(0.5)) {
    const Tense tense{Aspect::modal, false, &pick_modal(c, true)};
    first = statement(c, event(c, who, {.tense = tense, .with_time = false}));
    second = lacks(c, again(c, who));
  } else {
    static constexpr Verb kLike{"喜欢", "like", kReadable | kWatchable | kFood | kDrink | kSubject, kHabit};
    const auto liking = [&](const NounPhrase& subject, bool negative) {
      Clause clause{.subject = subject, .verb = &kLike, .tense = {Aspect::habit, negative}};
      clause.object = thing(c, pick_noun(c, things(), kLike.objects), Reference::in_general).words;
      return statement(c, clause);
    };
    first = liking(who, false);
    second = liking(again(c, who), true);
  }
  return c.rule("{first} ，/1 但是/2 {second} 。/3", "{first} ,/1 but/2 {second} ./3",
                {{"first", first}, {"second", second}});
}

// 我 昨天 吃 晚饭 以后 ， 看 了 一 部 电影: "After eating dinner , I watched a movie yesterday"
Phrase sequence(Composer& c) {
  const NounPhrase who = person(c, Role::subject);
  const Clause early = event(c, who, {.tense = {Aspect::past},
                                      .with_time = false,
                                      .with_adjuncts = false,
                                      .with_intransitives = false});
  const Clause late = event(c, who, {.tense = {Aspect::past},
                                     .with_time = false,
                                     .with_adjuncts = false,
                                     .with_intransitives = false});
  const Phrase order = c.chance(0.6) ? c.linked("以后", "after") : c.linked("以前", "before");
  return c.rule("{who} {time} {early} {object} {order} ，/1 {late} 了 {other} 。/2",
                "{order} {early} {object} ,/1 {who} {late} {other} {time} ./2",
                {{"who", who.words},
                 {"time", recent_past(c)},
                 {"early", c.linked(early.verb->chinese, inflect(early.verb->english, Form::gerund))},
                 {"object", early.object},
                 {"order", order},
                 {"late", c.linked(late.verb->chinese, inflect(late.verb->english, Form::past))},
                 {"other", late.object}});
}

// 先 … 然后 …: "first … and then …"
Phrase first_then(Composer& c) {
  const NounPhrase who = person(c, Role::subject);
  const EventWish wish{.tense = {Aspect::past},
                       .with_time = false,
                       .with_adjuncts = false,
                       .with_intransitives = false};
  const Clause early = event(c, who, wish);
  const Clause late = event(c, who, wish);
  return c.rule("{who} {time} 先/1 {early} 了 {object} ， 然后/2 {late} 了 {other} 。/3",
                "{who} first/1 {early} {object} and/2 then/2 {late} {other} {time} ./3",
                {{"who", who.words},
                 {"time", recent_past(c)},
                 {"early", c.linked(early.verb->chinese, inflect(early.verb->english, Form::past))},
                 {"object", early.object},
                 {"late", c.linked(late.verb->chinese, inflect(late.verb->english, Form::past))},
                 {"other", late.object}});
}

// 他们 一边 喝 茶 一边 聊天: "They are drinking tea while chatting"
Phrase while_doing(Composer& c) {
  const NounPhrase who = person(c, Role::subject);
  const bool drink = c.chance(0.6);
  const NounPhrase taken =
      thing(c, pick_noun(c, things(), drink ? kDrink : kFood), Reference::in_general);
  struct Pastime {
    Verb verb;
  };
  static constexpr Verb kPastimes[] = {{"读", "read", kReadable, 0},
                                       {"听", "listen to", kSong | kMusic, 0},
                                       {"看", "watch", kWatchable, 0},
                                       {"聊天", "chat", 0, 0}};
  const Verb& pastime = c.pick(kPastimes);
  Phrase object;
  if (pastime.objects != 0) {
    object = thing(c, pick_noun(c, things(), pastime.objects), Reference::new_one).words;
  }
  return c.rule("{who} 一边 {take} {taken} 一边/1 {do} {object} 。/2",
                "{who} {be} {take} {taken} while/1 {do} {object} ./2",
                {{"who", who.words},
                 {"take", drink ? c.linked("喝", "drinking") : c.linked("吃", "eating")},
                 {"taken", taken.words},
                 {"do", c.linked(pastime.chinese, inflect(pastime.english, Form::gerund))},
                 {"object", object},
                 {"be", c.target_only(present_be(who.agreement))}});
}

// 我 觉得 …: "I think that …"
Phrase thought(Composer& c) {
  const NounPhrase who = person(c, Role::subject);
  Clause clause{.subject = who};
  static constexpr Verb kThink{"觉得", "think", 0, kHabit};
  static constexpr Verb kKnow{"知道", "know", 0, kHabit};
  static constexpr Verb kHope{"希望", "hope", 0, kHabit};
  clause.tense = {Aspect::habit};
  Phrase content;
  switch (c.below(3)) {
    case 0: {
      clause.verb = &kThink;
      const Described thing_described = described_thing(c);
      content = adjectival_clause(c, thing_described.subject, *thing_described.adjective, {});
      break;
    }
    case 1: {
      clause.verb = &kKnow;
      const NounPhrase other = another_person(c, Role::subject, who);
      Clause fact = event(c, other, {.tense = {Aspect::past}});
      fact.time_place = TimePlace::after_subject;
      content = statement(c, fact);
      break;
    }
    default: {
      clause.verb = &kHope;
      const NounPhrase other = another_person(c, Role::subject, who);
      Clause wish = event(c, other, {.tense = {Aspect::future, c.chance(0.2)}});
      wish.time_place = TimePlace::after_subject;
      content = statement(c, wish);
    }
  }
  clause.object = c.rule("{content}", "that {content}", {{"content", content}});
  return full_stop(c, statement(c, clause));
}

}  // namespace eatt::builtin::zh_en
