#include "builtin/zh_en/predicates.h"

#include "builtin/zh_en/verb_group.h"

namespace eatt::builtin::zh_en {
namespace {

// 很 有趣: "very interesting", without the English "is".
Phrase graded(Composer& c, const Adjective& adjective, Polarity polarity) {
  const Phrase word = c.linked(adjective.chinese, adjective.english);
  if (adjective.use == Use::colour) return c.rule("是 {word} 的", "{word}", {{"word", word}});
  if (polarity == Polarity::any && c.chance(0.25)) {
    return c.rule("不/1 {word}", "not/1 {word}", {{"word", word}});
  }
  switch (c.below(6)) {
    case 0:
      return c.rule("非常/1 {word}", "extremely/1 {word}", {{"word", word}});
    case 1:
      return c.rule("太/1 {word} 了", "so/1 {word}", {{"word", word}});
    default:
      return c.rule("很/1 {word}", "very/1 {word}", {{"word", word}});
  }
}

}  // namespace

Phrase adjectival_clause(Composer& c, const NounPhrase& subject, const Adjective& adjective,
                         const Phrase& past_time, Polarity polarity) {
  const bool past = !past_time.source.empty();
  const Phrase predicate = graded(c, adjective, polarity);
  const Phrase be =
      c.target_only(past ? past_be(subject.agreement) : present_be(subject.agreement));
  return c.rule(
      "{subject} {time} {predicate}", "{subject} {be} {predicate} {time}",
      {{"subject", subject.words}, {"time", past_time}, {"be", be}, {"predicate", predicate}});
}

Described described_thing(Composer& c) {
  if (c.chance(0.25)) {
    const Noun& place = c.pick(places());
    const Adjective* adjective = pick_adjective(c, place_adjectives(), place.kinds);
    return {c.chance(0.6) ? bare(c, place) : pointed(c, place), &place, adjective};
  }
  for (;;) {
    const Noun& noun = c.pick(things());
    const Adjective* adjective = pick_adjective(c, thing_adjectives(), noun.kinds);
    if (noun.measure.empty() || adjective == nullptr) continue;
    return {known_plain(c, noun), &noun, adjective};
  }
}

Described described_subject(Composer& c) {
  const Noun& noun = pick_noun(c, things(), kSubject);
  return {thing(c, noun, Reference::in_general), &noun,
          pick_adjective(c, thing_adjectives(), kSubject)};
}

Described described_and_graded(Composer& c) {
  for (;;) {
    Described it = described_thing(c);
    if (it.adjective->use != Use::colour) return it;
  }
}

}  // namespace eatt::builtin::zh_en
