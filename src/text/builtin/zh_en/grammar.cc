#include "text/builtin/zh_en/grammar.h"

#include "text/builtin/zh_en/english.h"
#include "text/builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

struct Pattern {
  uint64_t weight;
  Phrase (*sentence)(Composer&);
};

constexpr Pattern kPatterns[] = {
    {120, past_event},
    {40, past_negation},
    {45, progressive_event},
    {50, future_event},
    {55, habit},
    {30, experience},
    {40, perfect_event},
    {50, modal_event},
    {20, duration},
    {15, visits},

    {60, motion},
    {35, motion_with_purpose},
    {8, distance},

    {25, giving},
    {15, teaching},
    {20, asking_to},
    {30, passive},
    {20, disposal},
    {20, order},

    {40, stative},
    {20, person_is_noun},
    {8, this_is},
    {30, thing_is_adjective},
    {25, person_is_adjective},
    {8, exclamation},
    {35, existence},
    {12, absence},
    {20, possession},
    {12, weather},

    {20, comparison},
    {15, measured_comparison},
    {12, equality},
    {12, superlative},
    {12, age},
    {12, price},
    {15, population},

    {35, yes_no_question},
    {10, adjective_question},
    {15, who_question},
    {20, what_question},
    {15, where_question},
    {15, when_question},
    {15, why_question},
    {8, how_question},
    {12, how_many_question},
    {10, which_question},
    {6, whose_question},
    {6, price_question},
    {6, age_question},

    {20, related_thing_is_adjective},
    {15, related_person_is_noun},
    {15, stative_with_related_object},
    {8, related_thing_passive},

    {20, because},
    {15, although},
    {20, condition},
    {12, simultaneous},
    {12, contrast},
    {12, sequence},
    {10, first_then},
    {8, while_doing},
    {20, thought},
};

}  // namespace

Phrase sentence(Composer& c) {
  Phrase words = c.pick_weighted(kPatterns).sentence(c);
  english::correct_articles(words.target);
  english::capitalise(words.target);
  return words;
}

}  // namespace eatt::builtin::zh_en
