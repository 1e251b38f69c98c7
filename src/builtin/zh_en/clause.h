#pragma once

#include "builtin/composer.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"

namespace eatt::builtin::zh_en {

// When the event of a clause happens. The Chinese markers decide the English tense:
enum class Aspect {
  past,         // 买 了: "bought"; 没 买: "did not buy"
  progressive,  // 正在 买: "is buying"
  future,       // 会 买: "will buy"; 不 会 买: "will not buy"
  habit,        // 买: "buys"; 不 买: "does not buy"
  experience,   // 买 过: "has bought"; 没 买 过: "has not bought"
  never,        // 从来 没 买 过: "has never bought"
  already,      // 已经 买 了: "has already bought"
  just,         // 刚刚 买 了: "has just bought"
  yet,          // 还 没 买: "has not bought … yet"
  background,   // 的 时候 ， … 正在 买: "was buying"
  modal,        // 应该 买: "should buy"; 不 应该 买: "should not buy"
};

struct Modal {
  std::string_view chinese;
  std::string_view english;  // "can", or a verb of its own: "want to"
  bool auxiliary;
  bool negatable;
};
const Modal& pick_modal(Composer& c, bool negative);
const Modal& pick_question_modal(Composer& c);  // 想, 打算, 应该: those used in questions
const Modal& modal_called(std::string_view chinese);

struct Tense {
  Aspect aspect = Aspect::habit;
  bool negative = false;
  const Modal* modal = nullptr;  // For Aspect::modal.
};

enum class Order {
  statement,  // "she bought"
  question,   // "did she buy": the auxiliary stands before the subject
};

// The verb and everything that marks its tense, as parts that a clause arranges:
//   Chinese: subject … {marker} … {verb} {suffix} object
//   English: subject {auxiliary} {negation} … {modal} {verb} object … {ending}
struct VerbGroup {
  Phrase marker;  // Chinese only: 没, 会, 正在, 已经
  Phrase verb;
  Phrase suffix;     // Chinese only: 了, 过
  Phrase auxiliary;  // English only, as the four that follow: did, is, has
  Phrase negation;   // not, never; also "already" and "just", which stand in the same place
  Phrase modal;      // wants to
  Phrase ending;     // yet
};
VerbGroup verb_group(Composer& c, const Verb& verb, const Tense& tense, Agreement subject,
                     Order order);

std::string_view present_be(Agreement subject);  // am, is, are
std::string_view past_be(Agreement subject);     // was, were

enum class Polarity {
  positive,  // 很, 非常, 太 … 了
  any,       // 不 as well
};

// {subject} 很 累: "… is very tired"; a past time, if any, makes it "was". A colour is not graded:
// 是 红色 的.
Phrase adjectival_clause(Composer& c, const NounPhrase& subject, const Adjective& adjective,
                         const Phrase& past_time, Polarity polarity = Polarity::any);

// A thing or a place and an adjective that fits it.
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
  set_off,         // 昨天 ， 我 …: the only one that comes first in English, too
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
  Phrase front{};  // English only: the question word; Chinese puts it where the answer goes
};

// The clause without its final punctuation.
Phrase statement(Composer& c, const Clause& clause);

// As a question, with inversion in English; `particle` (吗) ends the Chinese side.
Phrase question(Composer& c, const Clause& clause, std::string_view particle = "");

// Final punctuation.
Phrase full_stop(Composer& c, const Phrase& words);
Phrase question_mark(Composer& c, const Phrase& words);
Phrase exclamation_mark(Composer& c, const Phrase& words);

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

// The steps of event(), for patterns that fix the rest.
const Verb& pick_verb(Composer& c, std::span<const Verb> list, uint32_t aspects,
                      uint32_t traits = 0);
NounPhrase object_of(Composer& c, const Verb& verb, const Tense& tense, const NounPhrase& subject);
NounPhrase requested_object(Composer& c, const Verb& verb, const NounPhrase& doer);
Phrase past_time(Composer& c, const Verb& verb);
Phrase future_time(Composer& c, const Verb& verb);
TimePlace pick_time_place(Composer& c, const NounPhrase& subject, const Phrase& time);

// 在 公园 里: "in the park"; 在 医院: "at the hospital". After 正在 there is no second 在.
Phrase location(Composer& c, const Noun& place, bool after_progressive = false);

}  // namespace eatt::builtin::zh_en
