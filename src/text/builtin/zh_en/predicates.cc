#include "text/builtin/zh_en/predicates.h"

#include "text/builtin/zh_en/verb_group.h"

namespace eatt::builtin::zh_en {

Phrase graded(Composer& c, const Adjective& adjective) {
  const Phrase word = c.linked(adjective.chinese, adjective.english);
  switch (c.below(8)) {
    case 0:
    case 1:
      return c.rule("不/1 {word}", "not/1 {word}", {{"word", word}});
    case 2:
      return c.rule("非常/1 {word}", "extremely/1 {word}", {{"word", word}});
    case 3:
      return c.rule("太/1 {word} 了", "too/1 {word}", {{"word", word}});
    default:
      return c.rule("很/1 {word}", "very/1 {word}", {{"word", word}});
  }
}

Phrase adjectival_clause(Composer& c, const NounPhrase& subject, const Adjective& adjective,
                         const Phrase& past_time) {
  const bool past = !past_time.source.empty();
  const Phrase predicate = graded(c, adjective);
  const Phrase be =
      c.target_only(past ? past_be(subject.agreement) : present_be(subject.agreement));
  return c.rule("{subject} {time} {predicate}", "{subject} {be} {predicate} {time}",
                {{"subject", subject.words}, {"time", past_time}, {"be", be}, {"predicate", predicate}});
}

Described described_thing(Composer& c) {
  if (c.chance(0.25)) {
    const Noun& place = c.pick(places());
    const Adjective* adjective = pick_adjective(c, place_adjectives(), place.kinds);
    return {known_place(c, place), &place, adjective};
  }
  for (;;) {
    const Noun& noun = c.pick(things());
    const Adjective* adjective = pick_adjective(c, thing_adjectives(), noun.kinds);
    if (adjective == nullptr) continue;
    if (noun.measure.empty()) return {thing(c, noun, Reference::in_general), &noun, adjective};
    return {thing(c, noun, Reference::known), &noun, adjective};
  }
}

}  // namespace eatt::builtin::zh_en
