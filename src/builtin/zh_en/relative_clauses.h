#pragma once

#include "builtin/composer.h"
#include "builtin/zh_en/noun_phrases.h"

namespace eatt::builtin::zh_en {

// Nouns with a relative clause: before the noun in Chinese, after it in English.

// 我 昨天 买 的 那 本 书: "that book that I bought yesterday"
struct RelatedThing {
  NounPhrase phrase;
  const Noun* noun;
};
RelatedThing related_thing(Composer& c, Kinds kinds);  // a noun of these kinds

// 在 医院 里 工作 的 女人: "the woman who works in the hospital"
NounPhrase related_person(Composer& c);

}  // namespace eatt::builtin::zh_en
