#include "builtin/zh_en/clause.h"

#include "base/error.h"

namespace eatt::builtin::zh_en {
namespace {

// Everything after the subject: the same Chinese in statements and questions.
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
