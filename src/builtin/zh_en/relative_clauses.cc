#include <string>

#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

// The noun and its determiner, which follow the clause: 那 本 书, 两 本 书, 书.
struct Head {
  Phrase words;
  Agreement agreement;
};

Head head(Composer& c, const Noun& noun) {
  const Phrase measure = c.source_only(noun.measure);
  const size_t choice = c.below(6);
  const bool plural = choice == 1 || choice == 2;
  const Phrase word =
      c.linked(noun.chinese, plural ? english::plural(noun.english) : std::string(noun.english));
  switch (choice) {
    case 0:
      return {
          c.rule("那/1 {measure} {noun}", "that/1 {noun}", {{"measure", measure}, {"noun", word}}),
          Agreement::singular};
    case 1:
      return {c.rule("那些/1 {noun}", "those/1 {noun}", {{"noun", word}}), Agreement::plural};
    case 2:
      return {c.rule("{n} {measure} {noun}", "the {n} {noun}",
                     {{"n", number_between(c, 2, 5)}, {"measure", measure}, {"noun", word}}),
              Agreement::plural};
    default:
      return {c.rule("{noun}", "the {noun}", {{"noun", word}}), Agreement::singular};
  }
}

// Something that somebody may have done with the thing.
const Verb& thing_verb(Composer& c) {
  for (;;) {
    const Verb& verb = pick_verb(c, verbs(), kPast);
    if ((verb.objects & kDurable) != 0 && (verb.traits & kPlaceObject) == 0) return verb;
  }
}

// Clauses whose subject is the noun; their verb agrees with it.
Phrase works_somewhere(Composer& c, const NounPhrase& gap) {
  static constexpr Verb kWork{"工作", "work", 0, kHabit};
  Clause clause{.subject = gap, .verb = &kWork, .tense = {Aspect::habit}};
  clause.adjuncts = location(c, pick_noun(c, places(), kWorkPlace));
  return statement(c, clause);
}

Phrase lives_somewhere(Composer& c, const NounPhrase& gap) {
  static constexpr Verb kLive{"住", "live", 0, kHabit};
  Clause clause{.subject = gap, .verb = &kLive, .tense = {Aspect::habit}};
  clause.object = c.rule("在/1 {home}", "in/1 {home}", {{"home", city_or_country(c).words}});
  return statement(c, clause);
}

Phrase sits_somewhere(Composer& c, const NounPhrase& gap) {
  const std::string is_sitting = std::string(present_be(gap.agreement)) + " sitting/1 ";
  const NounPhrase neighbor = another_person(c, Role::object, gap);
  const bool beside = c.chance(0.5);
  return c.rule(beside ? "坐/1 在/2 {neighbor} 旁边/2" : "坐/1 在/2 {neighbor} 后面/2",
                is_sitting + (beside ? "next/2 to/2 {neighbor}" : "behind/2 {neighbor}"),
                {{"neighbor", neighbor.words}});
}

Phrase wears_something(Composer& c, const NounPhrase& gap) {
  const Phrase colour = attribute(c, thing_adjectives(), kColoured);
  const NounPhrase clothes = one(c, pick_noun(c, things(), kWearable), colour);
  const std::string_view be = present_be(gap.agreement);
  return c.rule("穿着/1 {clothes}", std::string(be) + "/1 wearing/1 {clothes}",
                {{"clothes", clothes.words}});
}

// The past needs no 了 here: the time phrase marks it.
Phrase did_something(Composer& c, const NounPhrase& gap) {
  Clause clause =
      event(c, gap, {.tense = {Aspect::past}, .with_time = false, .with_adjuncts = false});
  clause.time = days_ago(c);
  const VerbGroup group =
      verb_group(c, *clause.verb, clause.tense, gap.agreement, Order::statement);
  return c.rule("{time} {verb} {object}", "{verb} {object} {time}",
                {{"time", clause.time}, {"verb", group.verb}, {"object", clause.object}});
}

Phrase is_doing_something(Composer& c, const NounPhrase& gap) {
  Clause clause = event(c, gap, {.tense = {Aspect::progressive}, .with_time = false});
  clause.adverb = {};
  return statement(c, clause);
}

}  // namespace

RelatedThing related_thing(Composer& c, Kinds kinds) {
  for (;;) {
    const Verb& verb = thing_verb(c);
    const Noun& noun = pick_countable(c, verb.objects);
    if ((noun.kinds & kinds) == 0) continue;
    NounPhrase subject = person(c, Role::subject);
    while (mentions(subject, "那")) subject = person(c, Role::subject);  // No "that that boy".
    const Head what = head(c, noun);
    const std::string past = english::inflect(verb.english, english::Form::past);
    const Phrase words =
        c.rule("{subject} {time} {verb} 的/1 {noun}", "{noun} that/1 {subject} {verb} {time}",
               {{"subject", subject.words},
                {"time", days_ago(c)},
                {"verb", c.linked(verb.chinese, past)},
                {"noun", what.words}});
    return {{words, what.agreement, noun.chinese}, &noun};
  }
}

NounPhrase related_person(Composer& c) {
  constexpr Phrase (*kClauses[])(Composer&, const NounPhrase&) = {
      did_something,   is_doing_something, works_somewhere,
      lives_somewhere, wears_something,    sits_somewhere};
  const Noun& noun = c.pick(people());
  const Head who = head(c, noun);
  const NounPhrase gap{.agreement = who.agreement, .head = noun.chinese};
  auto* about = c.pick(kClauses);
  const bool plural = who.agreement == Agreement::plural;
  while (plural && about == wears_something)
    about = c.pick(kClauses);  // Two people do not wear one shirt.
  const Phrase clause = about(c, gap);
  return {c.rule("{clause} 的/1 {noun}", "{noun} who/1 {clause}",
                 {{"clause", clause}, {"noun", who.words}}),
          who.agreement, noun.chinese, false, noun.kinds};
}

// 我 昨天 买 的 书 很 有趣: "The book that I bought yesterday is very interesting"
Phrase related_thing_is_adjective(Composer& c) {
  const RelatedThing it = related_thing(c, kGoods | kReadable | kWatchable);
  const Adjective* adjective = pick_adjective(c, thing_adjectives(), it.noun->kinds);
  return full_stop(c, adjectival_clause(c, it.phrase, *adjective, {}));
}

// 住 在 上海 的 女人 是 一 位 医生: "The woman who lives in Shanghai is a doctor"
Phrase related_person_is_noun(Composer& c) {
  NounPhrase who = related_person(c);
  while (who.agreement == Agreement::plural) who = related_person(c);
  NounPhrase what;
  if ((who.kinds & (kJob | kYoung)) == 0) {
    const Noun& job = pick_noun(c, people(), kJob);
    what = one(c, job, attribute(c, traits(), job.kinds));
  } else {
    do {
      what = owned(c, c.pick(acquaintances()));
    } while (mentions(what, who.head));
  }
  return c.rule("{who} 是/1 {what} 。/2", "{who} is/1 {what} ./2",
                {{"who", who.words}, {"what", what.words}});
}

// 我 认识 昨天 买 这 本 书 的 那 个 学生
Phrase stative_with_related_object(Composer& c) {
  static constexpr Verb kKnow{"认识", "know", kPerson, kHabit};
  static constexpr Verb kLike{"喜欢", "like", kPerson, kHabit};
  Clause clause;
  clause.subject = person(c, Role::subject);
  clause.tense = {Aspect::habit, c.chance(0.25)};
  if (c.chance(0.6)) {
    clause.verb = &kKnow;
    NounPhrase who = related_person(c);
    while (who.head == clause.subject.head) who = related_person(c);
    clause.object = who.words;
  } else {
    clause.verb = &kLike;
    clause.object = related_thing(c, kGoods | kReadable | kWatchable).phrase.words;
  }
  return full_stop(c, statement(c, clause));
}

// 我 昨天 买 的 自行车 被 偷走 了: "The bicycle that I bought yesterday was stolen"
Phrase related_thing_passive(Composer& c) {
  const RelatedThing it = related_thing(c, kPortable);
  return c.rule("{what} 被/1 偷走/2 了 。/3",
                "{what} " + std::string(past_be(it.phrase.agreement)) + "/1 stolen/2 ./3",
                {{"what", it.phrase.words}});
}

}  // namespace eatt::builtin::zh_en
