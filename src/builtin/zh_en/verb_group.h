#pragma once

#include "builtin/composer.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"

namespace eatt::builtin::zh_en {

// What a clause says about the time of its event. The Chinese marks decide the English tense:
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
const Modal& pick_question_modal(Composer& c);  // 想, 打算, 应该: what one asks about
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

// The verb with everything that tells its tense, in the pieces that a clause puts in their places:
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

}  // namespace eatt::builtin::zh_en
