#include <string>

#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

using english::Form;
using english::inflect;

constexpr Verb kRain{"下雨", "rain", 0, kAllAspects};
constexpr Verb kSnow{"下雪", "snow", 0, kAllAspects};
constexpr Verb kHave{"有", "have", 0, kHabit};
constexpr Verb kGo{"去", "go to", 0, kPast | kFuture};
constexpr Verb kBuy{"买", "buy", kGoods, kFuture | kModal};
constexpr Verb kGetSick{"生病", "get sick", 0, kPast};

Phrase weather_clause(Composer& c, const Tense& tense, const Phrase& time) {
  Clause clause{.verb = c.chance(0.6) ? &kRain : &kSnow, .tense = tense};
  clause.subject.words = c.target_only("it");
  clause.time = time;
  return statement(c, clause);
}

// Both clauses have the same subject, so it is a pronoun: repeating a name would sound odd.
NounPhrase pronoun(Composer& c) {
  for (;;) {
    NounPhrase who = person(c, Role::subject);
    if (who.pronoun) return who;
  }
}

// The second mention: the same words with new links.
NounPhrase again(Composer& c, const NounPhrase& who) {
  NounPhrase copy = who;
  const int link = c.new_link();
  for (Token& token : copy.words.source) token.link = link;
  for (Token& token : copy.words.target) token.link = link;
  return copy;
}

// 没有 时间: "does not have time"
Phrase lacks(Composer& c, const NounPhrase& who, const Phrase& what) {
  const std::string_view english_do = who.agreement == Agreement::singular ? "does" : "do";
  return c.rule("{who} 没有/1 {what}",
                "{who} " + std::string(english_do) + "/1 not/1 have/1 {what}",
                {{"who", who.words}, {"what", what}});
}

Phrase time_as_thing(Composer& c) { return c.linked("时间", "time"); }
Phrase money(Composer& c) { return c.linked("钱", "money"); }

// What one needs money (buying) or time (anything else) for.
Clause affordable(Composer& c, const NounPhrase& who, const Tense& tense, bool rich) {
  if (!rich)
    return event(c, who, {.tense = tense, .with_time = false, .traits = kEffort | kOutdoors});
  Clause clause{.subject = who, .verb = &kBuy, .tense = tense};
  clause.object = object_of(c, kBuy, tense, who).words;
  return clause;
}

// Something that people do not do when it rains or when they are tired.
Clause outing(Composer& c, const NounPhrase& who, const Tense& tense, uint32_t traits) {
  if (c.chance(0.6)) return event(c, who, {.tense = tense, .with_time = false, .traits = traits});
  Clause clause{.subject = who, .verb = &kGo, .tense = tense};
  clause.object = known_place(c, pick_noun(c, places(), kTown)).words;
  return clause;
}

// A reason for not doing something yesterday, and the person.
struct Hindrance {
  Phrase words;
  NounPhrase who;
  uint32_t traits;  // Of the verb: what was not done.
};

Hindrance hindrance(Composer& c) {
  const size_t choice = c.below(4);
  if (choice < 2) {
    const Phrase words = weather_clause(c, {Aspect::past}, days_ago(c));
    return {words, person(c, Role::subject), kOutdoors};
  }
  const NounPhrase who = pronoun(c);
  if (choice == 2) {
    const Adjective& mood = c.pick(bad_moods());
    const Phrase words = adjectival_clause(c, who, mood, days_ago(c), Polarity::positive);
    return {words, again(c, who), kEffort};
  }
  Clause sick{.subject = who, .verb = &kGetSick, .tense = {Aspect::past}};
  sick.time = days_ago(c);
  return {statement(c, sick), again(c, who), kEffort | kOutdoors};
}

}  // namespace

// 因为 A ， 所以 B: "B because A"
Phrase because(Composer& c) {
  Phrase cause, effect;
  if (c.chance(0.7)) {
    const Hindrance it = hindrance(c);
    cause = it.words;
    effect = statement(c, outing(c, it.who, {Aspect::past, /*negative=*/true}, it.traits));
  } else {
    const NounPhrase who = pronoun(c);
    const bool rich = c.chance(0.5);
    cause = lacks(c, who, rich ? money(c) : time_as_thing(c));
    const Tense tense{Aspect::modal, true, &modal_called(c.chance(0.7) ? "能" : "打算")};
    effect = statement(c, affordable(c, again(c, who), tense, rich));
  }
  return c.rule("因为/1 {cause} ， 所以 {effect} 。/2", "{effect} because/1 {cause} ./2",
                {{"cause", cause}, {"effect", effect}});
}

// 虽然 A ， 但是 B 还是 …: "Although A , B still …"
Phrase although(Composer& c) {
  const Hindrance it = hindrance(c);
  Clause clause = outing(c, it.who, {Aspect::past}, it.traits);
  clause.adverb = c.linked("还是", "still");
  return c.rule("虽然/1 {obstacle} ，/2 但是 {event} 。/3", "although/1 {obstacle} ,/2 {event} ./3",
                {{"obstacle", it.words}, {"event", statement(c, clause)}});
}

// 如果 A ， B 就 …: "If A , B will …"
Phrase condition(Composer& c) {
  Phrase premise;
  Clause result;
  if (c.chance(0.5)) {
    const bool dry = c.chance(0.5);
    premise = weather_clause(c, {Aspect::habit, /*negative=*/dry}, in_days(c));
    result = outing(c, person(c, Role::subject), {Aspect::future, /*negative=*/!dry}, kOutdoors);
  } else {
    NounPhrase who = pronoun(c);
    while (who.head == "你") who = pronoun(c);  // Not "you": the speaker does not know.
    const bool rich = c.chance(0.4);
    Clause has{.subject = who, .verb = &kHave, .tense = {Aspect::habit}};
    has.object = rich ? money(c) : time_as_thing(c);
    premise = statement(c, has);
    result = affordable(c, again(c, who), {Aspect::future}, rich);
  }
  result.adverb = c.source_only("就");
  return c.rule("如果/1 {premise} ，/2 {result} 。/3", "if/1 {premise} ,/2 {result} ./3",
                {{"premise", premise}, {"result", statement(c, result)}});
}

// 我 昨天 到家 的 时候 ， 妈妈 正在 做饭: "When I got home yesterday , … was cooking"
Phrase simultaneous(Composer& c) {
  const NounPhrase first = person(c, Role::subject);
  const NounPhrase second = another_person(c, Role::subject, first);
  const Phrase moment =
      c.chance(0.6) ? c.linked("到家", "got home")
                    : c.rule("离开/1 {place}", "left/1 {place}",
                             {{"place", known_place(c, pick_noun(c, places(), kTown)).words}});
  const Clause clause = event(c, second,
                              {.tense = {Aspect::background},
                               .with_time = false,
                               .with_adjuncts = false,
                               .with_focus = false});
  return c.rule("{first} {time} {moment} 的/1 时候/1 ，/2 {background} 。/3",
                "when/1 {first} {moment} {time} ,/2 {background} ./3",
                {{"first", first.words},
                 {"time", days_ago(c)},
                 {"moment", moment},
                 {"background", statement(c, clause)}});
}

// 我 想 … ， 但是 我 没有 时间: "I want to … , but I do not have time"
Phrase contrast(Composer& c) {
  static constexpr Verb kLike{"喜欢", "like", 0, kHabit};
  constexpr Kinds kTastes[] = {kReadable, kDrink, kFood, kSubject, kWatchable};
  const NounPhrase who = pronoun(c);
  Phrase first, second;
  if (c.chance(0.5)) {
    const bool rich = c.chance(0.4);
    const Tense tense{Aspect::modal, false, &pick_question_modal(c)};
    first = statement(c, affordable(c, who, tense, rich));
    second = lacks(c, again(c, who), rich ? money(c) : time_as_thing(c));
  } else {
    const Kinds taste = c.pick(kTastes);
    const Noun& liked = pick_noun(c, things(), taste);
    const Noun& disliked = pick_other(c, things(), taste, liked.chinese);
    Clause likes{.subject = who, .verb = &kLike, .tense = {Aspect::habit}};
    likes.object = thing(c, liked, Reference::in_general).words;
    Clause dislikes{.subject = again(c, who), .verb = &kLike, .tense = {Aspect::habit, true}};
    dislikes.object = thing(c, disliked, Reference::in_general).words;
    first = statement(c, likes);
    second = statement(c, dislikes);
  }
  return c.rule("{first} ，/1 但是/2 {second} 。/3", "{first} ,/1 but/2 {second} ./3",
                {{"first", first}, {"second", second}});
}

// 我 昨天 吃 晚饭 以后 ， 看 了 一 部 电影: "After eating dinner , I watched a movie yesterday"
Phrase sequence(Composer& c) {
  const NounPhrase who = person(c, Role::subject);
  const Tense past{Aspect::past};
  const Verb& early = pick_verb(c, verbs(), kPast | kHabit);
  const Verb* late = &early;
  while (late->chinese == early.chinese) late = &pick_verb(c, verbs(), kPast | kHabit);
  const Phrase order = c.chance(0.6) ? c.linked("以后", "after") : c.linked("以前", "before");
  return c.rule("{who} {time} {early} {object} {order} ，/1 {late} 了 {other} 。/2",
                "{order} {early} {object} ,/1 {who} {late} {other} {time} ./2",
                {{"who", who.words},
                 {"time", days_ago(c, Detail::day)},
                 {"early", c.linked(early.chinese, inflect(early.english, Form::gerund))},
                 {"object", object_of(c, early, past, who).words},
                 {"order", order},
                 {"late", c.linked(late->chinese, inflect(late->english, Form::past))},
                 {"other", object_of(c, *late, past, who).words}});
}

// 先 … 然后 …: "first … and then …"
Phrase first_then(Composer& c) {
  const NounPhrase who = person(c, Role::subject);
  const Tense past{Aspect::past};
  const Verb& early = pick_verb(c, verbs(), kPast | kHabit);  // An everyday activity.
  const Verb* late = &early;
  while (late->chinese == early.chinese) late = &pick_verb(c, verbs(), kPast | kHabit);
  return c.rule("{who} {time} 先/1 {early} 了 {object} ， 然后/2 {late} 了 {other} 。/3",
                "{who} first/1 {early} {object} and/2 then/2 {late} {other} {time} ./3",
                {{"who", who.words},
                 {"time", days_ago(c, Detail::day)},
                 {"early", c.linked(early.chinese, inflect(early.english, Form::past))},
                 {"object", object_of(c, early, past, who).words},
                 {"late", c.linked(late->chinese, inflect(late->english, Form::past))},
                 {"other", object_of(c, *late, past, who).words}});
}

// 他们 一边 喝 茶 一边 聊天: "They are drinking tea while chatting"
Phrase while_doing(Composer& c) {
  static constexpr Verb kPastimes[] = {{"读", "read", kReadable, kProgressive},
                                       {"听", "listen to", kSong | kMusic, kProgressive},
                                       {"看", "watch", kWatchable, kProgressive},
                                       {"聊天", "chat", 0, kProgressive}};
  const NounPhrase who = person(c, Role::subject);
  const bool drink = c.chance(0.6);
  const Noun& taken = pick_noun(c, things(), drink ? kDrink : kFood);
  const Verb& pastime = c.pick(kPastimes);
  Phrase object;
  if (pastime.objects != 0) object = object_of(c, pastime, {Aspect::progressive}, who).words;
  return c.rule("{who} 一边 {take} {taken} 一边/1 {do} {object} 。/2",
                "{who} {be} {take} {taken} while/1 {do} {object} ./2",
                {{"who", who.words},
                 {"take", drink ? c.linked("喝", "drinking") : c.linked("吃", "eating")},
                 {"taken", thing(c, taken, Reference::in_general).words},
                 {"do", c.linked(pastime.chinese, inflect(pastime.english, Form::gerund))},
                 {"object", object},
                 {"be", c.target_only(present_be(who.agreement))}});
}

// 我 觉得 …: "I think that …"
Phrase thought(Composer& c) {
  static constexpr Verb kThink{"觉得", "think", 0, kHabit};
  static constexpr Verb kKnow{"知道", "know", 0, kHabit};
  static constexpr Verb kHope{"希望", "hope", 0, kHabit};
  const NounPhrase who = person(c, Role::subject);
  Clause clause{.subject = who, .tense = {Aspect::habit}};
  Phrase content;
  if (c.chance(0.4)) {
    clause.verb = &kThink;
    Described it = c.chance(0.3) ? described_subject(c) : described_and_graded(c);
    while (mentions(it.subject, "那")) it = described_and_graded(c);  // No "that that book".
    content = adjectival_clause(c, it.subject, *it.adjective, {});
  } else {
    const bool fact = c.chance(0.5);
    clause.verb = fact ? &kKnow : &kHope;
    const Tense tense = fact ? Tense{Aspect::past} : Tense{Aspect::future, c.chance(0.2)};
    NounPhrase other = another_person(c, Role::subject, who);
    while (mentions(other, "那")) other = another_person(c, Role::subject, who);
    Clause inner = event(c, other, {.tense = tense});
    inner.time_place = TimePlace::after_subject;
    content = statement(c, inner);
  }
  clause.object = c.rule("{content}", "that {content}", {{"content", content}});
  return full_stop(c, statement(c, clause));
}

}  // namespace eatt::builtin::zh_en
