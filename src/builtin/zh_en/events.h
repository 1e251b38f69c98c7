#pragma once

#include "builtin/composer.h"
#include "builtin/zh_en/clause.h"

namespace eatt::builtin::zh_en {

// Chooses a verb that allows the tense, an object and adjuncts that go with the verb, and a time
// that goes with both.
struct EventWish {
  Tense tense;
  bool with_time = true;
  bool with_adjuncts = true;
  bool with_intransitives = true;
  bool with_focus = true;  // 也, 都
  uint32_t traits = 0;     // VerbTrait: the verb has one of these; 0: any verb
};
Clause event(Composer& c, const NounPhrase& subject, const EventWish& wish);

// Parts of it, for patterns that fix the rest.
const Verb& pick_verb(Composer& c, std::span<const Verb> list, uint32_t aspects,
                      uint32_t traits = 0);
NounPhrase object_of(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject);
NounPhrase requested_object(Composer& c, const Verb& verb, const NounPhrase& doer);
Phrase past_time(Composer& c, const Verb& verb);
Phrase future_time(Composer& c, const Verb& verb);
TimePlace pick_time_place(Composer& c, const NounPhrase& subject, const Phrase& time);

// 在 公园 里: "in the park"; 在 医院: "at the hospital". After 正在 the 在 is not said twice.
Phrase location(Composer& c, const Noun& place, bool after_progressive = false);

}  // namespace eatt::builtin::zh_en
