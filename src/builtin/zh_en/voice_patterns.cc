#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

using english::Form;
using english::inflect;

// Actions on a thing that have a result, as 被 and 把 require.
struct Deed {
  std::string_view chinese, english;
  Kinds patients;
  bool by_someone;  // 被 may name the agent, and 把 is possible.
};
constexpr Deed kDeeds[] = {
    {"打破", "break", kFragile, true},   {"修好", "repair", kMachine, true},
    {"偷走", "steal", kPortable, false}, {"卖掉", "sell", kGoods, true},
    {"借走", "borrow", kBorrowed, true}, {"吃掉", "eat", kFood, true},
    {"表扬", "praise", kPerson, true},   {"批评", "criticize", kPerson, true},
};

NounPhrase patient(Composer& c, const Deed& deed) {
  if (deed.patients == kPerson) return person(c, Role::subject);
  return thing(c, pick_noun(c, things(), deed.patients), Reference::known);
}

}  // namespace

// 妈妈 昨天 送 了 我 一 本 书: "My mother gave me a book yesterday"
Phrase giving(Composer& c) {
  static constexpr Verb kGive{"送", "give", kGift, kPast | kFuture | kModal};
  const bool negative = c.chance(0.15);
  Clause clause;
  clause.subject = person(c, Role::subject);
  clause.verb = &kGive;
  switch (c.below(4)) {
    case 0:
      clause.tense = {Aspect::future, negative};
      clause.time = in_days(c);
      break;
    case 1:
      clause.tense = {Aspect::modal, negative, &pick_modal(c, negative)};
      break;
    default:
      clause.tense = {Aspect::past, negative};
      clause.time = days_ago(c);
  }
  clause.time_place = pick_time_place(c, clause.subject, clause.time);
  const NounPhrase receiver = another_person(c, Role::object, clause.subject);
  const Noun& noun = pick_noun(c, things(), kGift);
  const Kinds looks = noun.kinds & ~kGoods;  // A gift is not called cheap.
  const NounPhrase gift =
      negative ? thing(c, noun, Reference::shown)
               : one(c, noun, c.chance(0.7) ? attribute(c, thing_adjectives(), looks) : Phrase{});
  clause.object =
      c.rule("{who} {what}", "{who} {what}", {{"who", receiver.words}, {"what", gift.words}});
  return full_stop(c, statement(c, clause));
}

// 王 先生 教 我们 数学: "Mr. Wang teaches us math"
Phrase teaching(Composer& c) {
  static constexpr Verb kTeach{"教", "teach", kSubject, kPast | kHabit, kMemorable};
  Clause clause;
  clause.subject = person(c, Role::subject);
  clause.verb = &kTeach;
  clause.tense = {c.chance(0.4) ? Aspect::past : Aspect::habit};
  if (clause.tense.aspect == Aspect::past) {
    clause.time = past_time(c, kTeach);
    clause.time_place = pick_time_place(c, clause.subject, clause.time);
  }
  const NounPhrase pupil = another_person(c, Role::object, clause.subject);
  const NounPhrase subject = thing(c, pick_noun(c, things(), kSubject), Reference::in_general);
  clause.object =
      c.rule("{who} {what}", "{who} {what}", {{"who", pupil.words}, {"what", subject.words}});
  return full_stop(c, statement(c, clause));
}

// 老师 昨天 让 我 打扫 教室: "The teacher asked me to clean the classroom yesterday"
Phrase asking_to(Composer& c) {
  const NounPhrase subject = person(c, Role::subject);
  const NounPhrase other = another_person(c, Role::object, subject);
  const Verb& verb = pick_verb(c, verbs(), kImperative);
  const bool before = c.chance(0.4);
  return c.rule(before ? "{time} {subject} 让/1 {other} {verb} {object} 。/2"
                       : "{subject} {time} 让/1 {other} {verb} {object} 。/2",
                "{subject} asked/1 {other} to {verb} {object} {time} ./2",
                {{"subject", subject.words},
                 {"time", days_ago(c)},
                 {"other", other.words},
                 {"verb", c.linked(verb.chinese, verb.english)},
                 {"object", requested_object(c, verb, other).words}});
}

// 我 的 自行车 昨天 被 偷走 了: "My bicycle was stolen yesterday"
Phrase passive(Composer& c) {
  const Deed& deed = c.pick(kDeeds);
  const NounPhrase sufferer = patient(c, deed);
  const Phrase verb = c.linked(deed.chinese, inflect(deed.english, Form::participle));
  const Phrase time = c.chance(0.7) ? days_ago(c) : Phrase{};
  if (deed.by_someone && c.chance(0.6)) {
    const std::string english = "{subject} " + std::string(past_be(sufferer.agreement)) +
                                "/1 {verb} by/1 {agent} {time} ./2";
    return c.rule("{subject} {time} 被/1 {agent} {verb} 了 。/2", english,
                  {{"subject", sufferer.words},
                   {"time", time},
                   {"agent", another_person(c, Role::object, sufferer).words},
                   {"verb", verb}});
  }
  const std::string english =
      "{subject} " + std::string(past_be(sufferer.agreement)) + "/1 {verb} {time} ./2";
  return c.rule("{subject} {time} 被/1 {verb} 了 。/2", english,
                {{"subject", sufferer.words}, {"time", time}, {"verb", verb}});
}

// 弟弟 把 杯子 打破 了: "… broke the glass"; 把 has no counterpart.
Phrase disposal(Composer& c) {
  const NounPhrase subject = person(c, Role::subject);
  const Phrase time = c.chance(0.6) ? days_ago(c) : Phrase{};
  Phrase verb, object;
  if (c.chance(0.3)) {
    const bool open = c.chance(0.5);
    verb = open ? c.linked("打开", "opened") : c.linked("关上", "closed");
    object = bare(c, pick_noun(c, things(), kOpenable)).words;
  } else {
    const Deed* deed = &c.pick(kDeeds);
    while (!deed->by_someone || deed->patients == kPerson) deed = &c.pick(kDeeds);
    verb = c.linked(deed->chinese, inflect(deed->english, Form::past));
    object = patient(c, *deed).words;
  }
  return c.rule("{subject} {time} 把 {object} {verb} 了 。/1",
                "{subject} {verb} {object} {time} ./1",
                {{"subject", subject.words}, {"time", time}, {"object", object}, {"verb", verb}});
}

// 请 打开 窗户: "Please open the window"; 别: "Do not"
Phrase order(Composer& c) {
  const Verb& verb = pick_verb(c, verbs(), kImperative);
  const bool negative = c.chance(0.4);
  const NounPhrase you{.head = "你", .pronoun = true};
  const Phrase object = negative ? object_of(c, verb, {Aspect::past, true}, you).words
                                 : requested_object(c, verb, you).words;
  const Phrase words = c.rule("{verb} {object}", "{verb} {object}",
                              {{"verb", c.linked(verb.chinese, verb.english)}, {"object", object}});
  if (!negative) return c.rule("请/1 {words} 。/2", "please/1 {words} ./2", {{"words", words}});
  if (c.chance(0.5)) {
    return c.rule("请/1 不要/2 {words} 。/3", "please/1 do/2 not/2 {words} ./3",
                  {{"words", words}});
  }
  return c.rule("别/1 {words} ！/2", "do/1 not/1 {words} !/2", {{"words", words}});
}

}  // namespace eatt::builtin::zh_en
