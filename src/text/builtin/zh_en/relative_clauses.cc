#include "text/builtin/zh_en/relative_clauses.h"

#include "text/builtin/zh_en/english.h"
#include "text/builtin/zh_en/events.h"
#include "text/builtin/zh_en/numbers.h"
#include "text/builtin/zh_en/time_phrases.h"

namespace eatt::builtin::zh_en {
namespace {

// The noun with what stands between it and the clause: 那 本 书, 两 本 书, 书.
struct Head {
  Phrase words;
  Agreement agreement;
};

Head head(Composer& c, const Noun& noun) {
  const Phrase one = c.linked(noun.chinese, noun.english);
  const Phrase many = c.linked(noun.chinese, english::plural(noun.english));
  const Phrase measure = c.source_only(noun.measure);
  switch (c.below(6)) {
    case 0:
      return {c.rule("那/1 {measure} {noun}", "that/1 {noun}", {{"measure", measure}, {"noun", one}}),
              Agreement::singular};
    case 1:
      return {c.rule("那些/1 {noun}", "those/1 {noun}", {{"noun", many}}), Agreement::plural};
    case 2:
      return {c.rule("{n} {measure} {noun}", "the {n} {noun}",
                     {{"n", small_number(c)}, {"measure", measure}, {"noun", many}}),
              Agreement::plural};
    default:
      return {c.rule("{noun}", "the {noun}", {{"noun", one}}), Agreement::singular};
  }
}

const Verb& thing_verb(Composer& c) {
  constexpr uint32_t kGood = kGoods | kReadable | kWritable | kWatchable;
  for (;;) {
    const Verb& verb = pick_verb(c, verbs(), kPast);
    if ((verb.objects & kGood) != 0 && (verb.traits & kPlaceObject) == 0) return verb;
  }
}

// A clause whose subject is the noun, and its verb agrees with it.
Phrase about_person(Composer& c, Agreement agreement) {
  constexpr std::string_view kUnused = "";
  (void)kUnused;
  const NounPhrase gap{.agreement = agreement};
  switch (c.below(4)) {
    case 0: {
      static constexpr Verb kWork{"工作", "work", 0, kHabit};
      Clause clause{.subject = gap, .verb = &kWork, .tense = {Aspect::habit}};
      clause.adjuncts = location(c, known_place(c, pick_noun(c, places(), kWorkPlace)));
      return statement(c, clause);
    }
    case 1: {
      static constexpr Verb kLive{"住 在", "live in", 0, kHabit};
      Clause clause{.subject = gap, .verb = &kLive, .tense = {Aspect::habit}};
      clause.object = city_or_country(c).words;
      return statement(c, clause);
    }
    case 2: {
      Clause clause = event(c, gap, {.tense = {Aspect::progressive}, .with_time = false});
      clause.adverb = {};
      return statement(c, clause);
    }
    default: {
      // The past needs no 了 here: the time tells it.
      Clause clause = event(c, gap, {.tense = {Aspect::past}, .with_adjuncts = false});
      const VerbGroup group = verb_group(c, *clause.verb, clause.tense, agreement, Order::statement);
      return c.rule("{time} {verb} {object}", "{verb} {object} {time}",
                    {{"time", clause.time}, {"verb", group.verb}, {"object", clause.object}});
    }
  }
}

}  // namespace

RelatedThing related_thing(Composer& c) {
  const Verb& verb = thing_verb(c);
  const Noun* noun = &pick_countable(c, verb.objects);
  const NounPhrase subject = person(c, Role::subject);
  const Head what = head(c, *noun);
  const Phrase words = c.rule("{subject} {time} {verb} 的/1 {noun}", "{noun} that/1 {subject} {verb} {time}",
                              {{"subject", subject.words},
                               {"time", recent_past(c)},
                               {"verb", c.linked(verb.chinese, english::inflect(verb.english, english::Form::past))},
                               {"noun", what.words}});
  return {{words, what.agreement, noun->chinese}, noun};
}

NounPhrase related_person(Composer& c) {
  const Noun& noun = c.pick(people());
  const Head who = head(c, noun);
  const Phrase clause = about_person(c, who.agreement);
  return {c.rule("{clause} 的/1 {noun}", "{noun} who/1 {clause}",
                 {{"clause", clause}, {"noun", who.words}}),
          who.agreement, noun.chinese};
}

}  // namespace eatt::builtin::zh_en
