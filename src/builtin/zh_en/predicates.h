#pragma once

#include "builtin/composer.h"
#include "builtin/zh_en/noun_phrases.h"

namespace eatt::builtin::zh_en {

enum class Polarity {
  positive,  // 很, 非常, 太 … 了
  any,       // 不 as well
};

// {subject} 很 累: "… is very tired"; a past time, if any, makes it "was". A colour is not graded:
// 是 红色 的.
Phrase adjectival_clause(Composer& c, const NounPhrase& subject, const Adjective& adjective,
                         const Phrase& past_time, Polarity polarity = Polarity::any);

// A thing or a place together with an adjective that can be said of it.
struct Described {
  NounPhrase subject;
  const Noun* noun;
  const Adjective* adjective;
};
Described described_thing(Composer& c);
Described described_and_graded(Composer& c);  // the same without colours
Described described_subject(Composer& c);     // 数学: "math" is difficult

}  // namespace eatt::builtin::zh_en
