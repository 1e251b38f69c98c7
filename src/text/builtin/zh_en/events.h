#pragma once

#include "text/builtin/composer.h"
#include "text/builtin/zh_en/clause.h"

namespace eatt::builtin::zh_en {

// Chooses a verb that allows the tense, an object and adjuncts that go with the verb, and a time
// that goes with the tense.
struct EventWish {
  Tense tense;
  bool with_time = true;        // Where the tense leaves the choice.
  bool with_adjuncts = true;
  bool with_intransitives = true;
};
Clause event(Composer& c, const NounPhrase& subject, const EventWish& wish);

// Parts of it, for patterns that fix the rest.
const Verb& pick_verb(Composer& c, std::span<const Verb> list, uint32_t aspects);
NounPhrase object_of(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject);
Phrase past_time(Composer& c, const Verb& verb);
TimePlace pick_time_place(Composer& c, const NounPhrase& subject);

// 在 公园 里: "in the park". After 正在 the 在 is not said twice.
Phrase location(Composer& c, const NounPhrase& place, bool after_progressive = false);

}  // namespace eatt::builtin::zh_en
