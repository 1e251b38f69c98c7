#pragma once

#include "text/builtin/composer.h"
#include "text/builtin/zh_en/noun_phrases.h"

namespace eatt::builtin::zh_en {

// 很 有趣: "very interesting", without the English "is".
Phrase graded(Composer& c, const Adjective& adjective);

// {subject} 很 累: "… is very tired"; `time`, if any, is past and makes it "was".
Phrase adjectival_clause(Composer& c, const NounPhrase& subject, const Adjective& adjective,
                         const Phrase& past_time);

// A thing or a place together with an adjective that can be said of it.
struct Described {
  NounPhrase subject;
  const Noun* noun;
  const Adjective* adjective;
};
Described described_thing(Composer& c);

}  // namespace eatt::builtin::zh_en
