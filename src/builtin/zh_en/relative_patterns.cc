#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/patterns.h"
#include "builtin/zh_en/predicates.h"
#include "builtin/zh_en/relative_clauses.h"
#include "builtin/zh_en/time_phrases.h"

namespace eatt::builtin::zh_en {

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
