#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

// Not the first person: people do not ask what they do themselves.
NounPhrase asked_person(Composer& c) {
  NounPhrase who = person(c, Role::subject);
  while (who.head == "我" || who.head == "我们") who = person(c, Role::subject);
  return who;
}

// A question word that English moves to the front and Chinese leaves in its place.
struct Asked {
  Phrase in_place;  // Chinese only
  Phrase front;     // English only
};
Asked asked(const Phrase& words) { return {{words.source, {}}, {{}, words.target}}; }
Asked asked(Composer& c, std::string_view chinese, std::string_view english) {
  return asked(c.linked(chinese, english));
}

// The time goes before or after the subject, never with a comma.
TimePlace question_time_place(Composer& c) {
  return c.chance(0.3) ? TimePlace::before_subject : TimePlace::after_subject;
}

Tense simple_tense(Composer& c) {
  switch (c.below(4)) {
    case 0:
      return {Aspect::future};
    case 1:
      return {Aspect::modal, false, &pick_question_modal(c)};
    default:
      return {Aspect::past};
  }
}

Phrase simple_time(Composer& c, const Tense& tense, const Verb& verb) {
  switch (tense.aspect) {
    case Aspect::past:
      return past_time(c, verb);
    case Aspect::future:
      return future_time(c, verb);
    default:
      return soon(c);
  }
}

// Verbs that take a thing as object, for 什么, 多少, 哪.
const Verb& thing_verb(Composer& c, uint32_t aspects, Kinds objects) {
  for (;;) {
    const Verb& verb = pick_verb(c, verbs(), aspects);
    if ((verb.objects & objects) != 0 && (verb.traits & (kPlaceObject | kDefinite)) == 0) {
      return verb;
    }
  }
}

constexpr Kinds kEverything = kDurable | kFood | kDrink | kDrawable;

const Noun& countable_object(Composer& c, const Verb& verb) {
  if ((verb.objects & kDrawable) != 0) return c.pick(animals());
  for (;;) {
    const Noun& noun = pick_noun(c, things(), verb.objects);
    if (!noun.measure.empty()) return noun;
  }
}

}  // namespace

Phrase yes_no_question(Composer& c) {
  const NounPhrase subject = asked_person(c);
  Tense tense;
  switch (c.below(8)) {
    case 0:
      tense = {Aspect::future};
      break;
    case 1:
    case 7:
      tense = {Aspect::modal, false, &pick_modal(c, /*negative=*/true)};  // 必须 … 吗 is rare.
      break;
    case 2:
      tense = {Aspect::experience};
      break;
    case 3:
      tense = {Aspect::progressive};
      break;
    case 4:
      tense = {Aspect::habit};
      break;
    default:
      tense = {Aspect::past};
  }
  Clause clause = event(c, subject, {.tense = tense});
  if (clause.time_place == TimePlace::set_off) clause.time_place = TimePlace::before_subject;
  return question_mark(c, question(c, clause, "吗"));
}

Phrase adjective_question(Composer& c) {
  Described it = c.chance(0.2) ? described_subject(c) : described_and_graded(c);
  if (c.chance(0.5)) {
    it.subject = asked_person(c);
    it.adjective = pick_adjective(c, c.chance(0.5) ? moods() : traits(), kPerson);
  }
  return c.rule("{subject} {word} 吗 ？/1", "{be} {subject} {word} ?/1",
                {{"subject", it.subject.words},
                 {"be", c.target_only(present_be(it.subject.agreement))},
                 {"word", c.linked(it.adjective->chinese, it.adjective->english)}});
}

Phrase who_question(Composer& c) {
  const NounPhrase who{c.linked("谁", "who"), Agreement::singular, "谁"};
  const Tense tense = c.chance(0.2) ? Tense{Aspect::experience} : simple_tense(c);
  Clause clause = event(c, who, {.tense = tense});
  clause.time_place = question_time_place(c);
  clause.adverb = {};
  return question_mark(c, statement(c, clause));
}

Phrase what_question(Composer& c) {
  Clause clause;
  clause.subject = asked_person(c);
  const Asked what = asked(c, "什么", "what");
  clause.object = what.in_place;
  clause.front = what.front;
  if (c.chance(0.3)) {
    clause.tense = {Aspect::progressive};
    clause.verb = &thing_verb(c, kProgressive, kEverything);
  } else {
    clause.tense = simple_tense(c);
    clause.verb = &thing_verb(c, kPast | kFuture | kModal, kEverything);
    clause.time = simple_time(c, clause.tense, *clause.verb);
    clause.time_place = question_time_place(c);
  }
  return question_mark(c, question(c, clause));
}

Phrase where_question(Composer& c) {
  static constexpr Verb kGo{"去", "go", 0, kPast | kFuture | kModal};
  static constexpr Verb kLive{"住", "live", 0, kHabit};
  Clause clause;
  clause.subject = asked_person(c);
  if (c.chance(0.5)) {
    const bool home = c.chance(0.3);
    const Asked where = asked(c, home ? "在 哪里" : "哪里", "where");
    clause.object = where.in_place;
    clause.front = where.front;
    if (home) {
      clause.verb = &kLive;
      clause.tense = {Aspect::habit};
      return question_mark(c, question(c, clause));
    }
    clause.verb = &kGo;
    clause.tense = simple_tense(c);
    clause.time = simple_time(c, clause.tense, kGo);
  } else {
    const NounPhrase subject = clause.subject;
    const Tense tense = simple_tense(c);
    do {
      clause = event(c, subject, {.tense = tense, .with_adjuncts = false});
    } while (clause.verb->places == 0);
    clause.adverb = {};
    const Asked where = asked(c, "在 哪里", "where");
    clause.adjuncts = where.in_place;
    clause.front = where.front;
  }
  clause.time_place = question_time_place(c);
  return question_mark(c, question(c, clause));
}

// Past: 他 是 什么 时候 离开 北京 的; future: 他 什么 时候 会 离开 北京
Phrase when_question(Composer& c) {
  const NounPhrase subject = asked_person(c);
  const bool past = c.chance(0.5);
  Clause clause = event(c, subject,
                        {.tense = {past ? Aspect::past : Aspect::future},
                         .with_time = false,
                         .with_intransitives = false});
  clause.adverb = {};
  const Asked when = asked(c, "什么 时候", "when");
  if (!past) {
    clause.time = when.in_place;
    clause.front = when.front;
    return question_mark(c, question(c, clause));
  }
  const VerbGroup group =
      verb_group(c, *clause.verb, clause.tense, subject.agreement, Order::question);
  return c.rule("{subject} 是 {when} {adjuncts} {verb} {object} 的 ？/1",
                "{front} {did} {subject} {verb} {object} {adjuncts} ?/1",
                {{"subject", subject.words},
                 {"when", when.in_place},
                 {"front", when.front},
                 {"adjuncts", clause.adjuncts},
                 {"did", group.auxiliary},
                 {"verb", group.verb},
                 {"object", clause.object}});
}

Phrase why_question(Composer& c) {
  const NounPhrase subject = asked_person(c);
  const Asked why = asked(c, "为什么", "why");
  Clause clause;
  if (c.chance(0.35)) {
    clause.subject = subject;
    clause.verb = &c.pick(stative_verbs());
    clause.tense = {Aspect::habit, c.chance(0.6)};
    clause.object = object_of(c, *clause.verb, {Aspect::habit, /*negative=*/true}, subject).words;
  } else {
    clause =
        event(c, subject, {.tense = {Aspect::past, /*negative=*/true}, .with_adjuncts = false});
    clause.time_place = question_time_place(c);
  }
  clause.adverb = why.in_place;
  clause.front = why.front;
  return question_mark(c, question(c, clause));
}

// 他 是 怎么 去 学校 的: "How did he go to the school?"
Phrase how_question(Composer& c) {
  const NounPhrase subject = asked_person(c);
  const bool far = c.chance(0.4);
  const NounPhrase goal = far ? city_or_country(c) : known_place(c, pick_noun(c, places(), kTown));
  return c.rule("{subject} {time} 是 怎么/1 去/2 {goal} 的 ？/3",
                "how/1 did {subject} go/2 to/2 {goal} {time} ?/3",
                {{"subject", subject.words}, {"time", days_ago(c)}, {"goal", goal.words}});
}

Phrase how_many_question(Composer& c) {
  Clause clause;
  clause.subject = asked_person(c);
  clause.tense = simple_tense(c);
  clause.verb = &thing_verb(c, kPast | kFuture | kModal, kEverything);
  const Noun& noun = countable_object(c, *clause.verb);
  Phrase words;
  if (noun.container.empty()) {
    words = c.rule("多少/1 {measure} {noun}", "how/1 many/1 {noun}",
                   {{"measure", c.source_only(noun.measure)},
                    {"noun", c.linked(noun.chinese, english::plural(noun.english))}});
  } else {
    words = c.rule("多少/1 {measure} {noun}", "how/1 many/1 {measure} {noun}",
                   {{"measure", c.linked(noun.measure, english::plural(noun.container) + " of")},
                    {"noun", c.linked(noun.chinese, noun.english)}});
  }
  const Asked how_many = asked(words);
  clause.object = how_many.in_place;
  clause.front = how_many.front;
  clause.time = simple_time(c, clause.tense, *clause.verb);
  clause.time_place = question_time_place(c);
  return question_mark(c, question(c, clause));
}

Phrase which_question(Composer& c) {
  static constexpr Verb kLike{"喜欢", "like", kReadable | kWatchable | kGoods | kSong, kHabit};
  Clause clause;
  clause.subject = asked_person(c);
  const Noun* noun = nullptr;
  if (c.chance(0.5)) {
    clause.verb = &kLike;
    clause.tense = {Aspect::habit};
    noun = &pick_countable(c, kLike.objects);
  } else {
    clause.verb = &thing_verb(c, kPast | kFuture | kModal, kDurable);
    noun = &pick_countable(c, clause.verb->objects);
    clause.tense = simple_tense(c);
    clause.time = simple_time(c, clause.tense, *clause.verb);
    clause.time_place = question_time_place(c);
  }
  const Asked which = asked(c.rule("哪/1 {measure} {noun}", "which/1 {noun}",
                                   {{"measure", c.source_only(noun->measure)},
                                    {"noun", c.linked(noun->chinese, noun->english)}}));
  clause.object = which.in_place;
  clause.front = which.front;
  return question_mark(c, question(c, clause));
}

// 这 是 谁 的 书: "Whose book is this?"
Phrase whose_question(Composer& c) {
  const Noun& noun = pick_countable(c, kPortable | kGoods);
  const bool near = c.chance(0.5);
  return c.rule("{this} 是/1 谁/2 的/2 {noun} ？/3", "whose/2 {noun} is/1 {this} ?/3",
                {{"this", c.linked(near ? "这" : "那", near ? "this" : "that")},
                 {"noun", c.linked(noun.chinese, noun.english)}});
}

// 这 本 书 多少 钱: "How much is this book?"
Phrase price_question(Composer& c) {
  const NounPhrase what = known_plain(c, pick_noun(c, things(), kGoods));
  return c.rule("{what} 多少/1 钱/1 ？/2", "how/1 much/1 {be} {what} ?/2",
                {{"what", what.words}, {"be", c.target_only(present_be(what.agreement))}});
}

Phrase age_question(Composer& c) {
  NounPhrase who = asked_person(c);
  while (who.agreement == Agreement::plural && who.head != "你") who = asked_person(c);
  return c.rule("{who} 今年/1 多少/2 岁/3 ？/4", "how/2 old/3 {be} {who} this/1 year/1 ?/4",
                {{"who", who.words}, {"be", c.target_only(present_be(who.agreement))}});
}

}  // namespace eatt::builtin::zh_en
