#pragma once

#include "builtin/composer.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/verb_group.h"

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

enum class TimePlace {
  after_subject,   // 我 昨天 …
  before_subject,  // 昨天 我 …
  set_off,         // 昨天 ， 我 …: the only one that stands in front in English, too
};

// Somebody does something. All parts but subject and verb may be empty.
struct Clause {
  NounPhrase subject{};
  const Verb* verb = nullptr;
  Tense tense{};
  Phrase object{};
  Phrase adjuncts{};  // 在 公园 里, 跟 朋友 一起: before the verb in Chinese, after the object in
                      // English
  Phrase adverb{};  // 也, 经常: before the main verb in both
  Phrase time{};
  TimePlace time_place = TimePlace::after_subject;
  Phrase front{};  // English only: the question word, which Chinese leaves where the answer stands
};

// The clause without a mark at its end.
Phrase statement(Composer& c, const Clause& clause);

// As a question that inverts in English; `particle` (吗) ends the Chinese side.
Phrase question(Composer& c, const Clause& clause, std::string_view particle = "");

// The mark at the end of a sentence.
Phrase full_stop(Composer& c, const Phrase& words);
Phrase question_mark(Composer& c, const Phrase& words);
Phrase exclamation_mark(Composer& c, const Phrase& words);

}  // namespace eatt::builtin::zh_en
