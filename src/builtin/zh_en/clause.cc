#include "builtin/zh_en/clause.h"

#include "base/error.h"

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

namespace {

// Everything after the subject: Chinese has the same words in statements and questions.
constexpr std::string_view kChinesePredicate =
    "{adverb} {marker} {adjuncts} {verb} {suffix} {object}";

std::string chinese_order(TimePlace place, std::string_view end) {
  std::string start;
  switch (place) {
    case TimePlace::after_subject:
      start = "{subject} {time} ";
      break;
    case TimePlace::before_subject:
      start = "{time} {subject} ";
      break;
    case TimePlace::set_off:
      start = "{time} ，/1 {subject} ";
      break;
  }
  return start + std::string(kChinesePredicate) + " " + std::string(end);
}

Phrase arrange(Composer& c, const Clause& clause, const VerbGroup& group, std::string_view chinese,
               std::string_view english) {
  return c.rule(chinese, english,
                {{"subject", clause.subject.words},
                 {"time", clause.time},
                 {"adverb", clause.adverb},
                 {"marker", group.marker},
                 {"adjuncts", clause.adjuncts},
                 {"verb", group.verb},
                 {"suffix", group.suffix},
                 {"object", clause.object},
                 {"auxiliary", group.auxiliary},
                 {"negation", group.negation},
                 {"modal", group.modal},
                 {"ending", group.ending},
                 {"front", clause.front}});
}

}  // namespace

Phrase statement(Composer& c, const Clause& clause) {
  const VerbGroup group =
      verb_group(c, *clause.verb, clause.tense, clause.subject.agreement, Order::statement);
  const std::string chinese = chinese_order(clause.time_place, "");
  if (clause.time_place == TimePlace::set_off) {
    return arrange(c, clause, group, chinese,
                   "{time} ,/1 {subject} {auxiliary} {negation} {adverb} {modal} {verb} {object} "
                   "{adjuncts} {ending}");
  }
  return arrange(c, clause, group, chinese,
                 "{subject} {auxiliary} {negation} {adverb} {modal} {verb} {object} {adjuncts} "
                 "{ending} {time}");
}

Phrase question(Composer& c, const Clause& clause, std::string_view particle) {
  expects(clause.time_place != TimePlace::set_off, "the time of a question has no comma");
  const VerbGroup group =
      verb_group(c, *clause.verb, clause.tense, clause.subject.agreement, Order::question);
  return arrange(c, clause, group, chinese_order(clause.time_place, particle),
                 "{front} {auxiliary} {subject} {negation} {adverb} {modal} {verb} {object} "
                 "{adjuncts} {ending} {time}");
}

Phrase full_stop(Composer& c, const Phrase& words) {
  return c.rule("{words} 。/1", "{words} ./1", {{"words", words}});
}

Phrase question_mark(Composer& c, const Phrase& words) {
  return c.rule("{words} ？/1", "{words} ?/1", {{"words", words}});
}

Phrase exclamation_mark(Composer& c, const Phrase& words) {
  return c.rule("{words} ！/1", "{words} !/1", {{"words", words}});
}

}  // namespace eatt::builtin::zh_en
