
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/patterns.h"

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
    {12, visits},

    {60, motion},
    {45, motion_with_purpose},
    {12, journey},

    {25, giving},
    {15, teaching},
    {20, asking_to},
    {30, passive},
    {20, disposal},
    {18, order},

    {45, stative},
    {12, clothing},
    {20, person_is_noun},
    {8, this_is},
    {25, thing_is_adjective},
    {25, person_is_adjective},
    {8, exclamation},
    {18, possession},
    {28, animal_event},
    {40, existence},
    {10, absence},
    {26, weather},

    {36, comparison},
    {20, measured_comparison},
    {12, equality},
    {20, superlative},
    {24, age},
    {22, price},
    {10, size},
    {24, population},
    {20, production},

    {45, yes_no_question},
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

    {35, related_thing_is_adjective},
    {35, related_person_is_noun},
    {35, stative_with_related_object},
    {12, related_thing_passive},

    {40, because},
    {30, although},
    {40, condition},
    {20, simultaneous},
    {15, contrast},
    {20, sequence},
    {15, first_then},
    {12, while_doing},
    {40, thought},
};

}  // namespace

Phrase sentence(Composer& c) {
  Phrase words = c.pick_weighted(kPatterns).sentence(c);
  english::correct_articles(words.target);
  english::capitalize(words.target);
  return words;
}

}  // namespace eatt::builtin::zh_en
