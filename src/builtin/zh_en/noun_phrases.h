#pragma once

#include <string_view>

#include "builtin/composer.h"
#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {

// What an English verb must know of its subject.
enum class Agreement { first_person, singular, plural };

enum class Role { subject, object };  // "he" or "him"

struct NounPhrase {
  Phrase words{};
  Agreement agreement = Agreement::singular;
  std::string_view head{};  // Its main Chinese word: keeps people from helping themselves.
  bool pronoun = false;
  Kinds kinds = 0;  // of its noun; 0 for names and pronouns
};

// Number and article are told by the Chinese words alone:
//   一 本 书 "a book"    三 本 书 "three books"           很多 书 "many books"
//   这 本 书 "this book" 那 三 本 书 "those three books"   这些 书 "these books"
//   我 的 书 "my book"   老师 "the teacher"               孩子 们 "the children"
// A bare noun is definite and singular, but what somebody does as a habit or likes is general:
// 读 小说 "reads novels". A measure word has no counterpart in English unless it is a container:
// 三 杯 茶 "three cups of tea".

NounPhrase person(Composer& c, Role role);
NounPhrase single_person(Composer& c, Role role);
NounPhrase jobless_person(Composer& c, Role role);  // of whom a profession can be said
// Somebody else than `other`, and no pronoun if `other` is one.
NounPhrase another_person(Composer& c, Role role, const NounPhrase& other);

enum class Reference {
  unknown,     // 一 本, 三 本, 很多
  single,      // 一 本
  known,       // 这 本, 那些, 我 的
  shown,       // 这 本, 那些
  in_general,  // bare: "novels", "tea"
};
NounPhrase thing(Composer& c, const Noun& noun, Reference reference);

// Some of these alone.
NounPhrase bare(Composer& c, const Noun& noun);     // 窗户: "the window"
NounPhrase counted(Composer& c, const Noun& noun);  // 一 个 学生, 三 个 学生, 很多 学生
NounPhrase one(Composer& c, const Noun& noun, const Phrase& attribute);  // 一 个 [聪明 的] 学生
NounPhrase pointed(Composer& c, const Noun& noun);                       // 那 本 书
NounPhrase known_singular(Composer& c, const Noun& noun);                // 那 本 书, 我 的 书
NounPhrase known_plain(Composer& c, const Noun& noun);  // Reference::known, no adjective
NounPhrase owned(Composer& c, const Noun& noun);        // 我 的 书, 老师 的 书

// Whether the Chinese side has this word.
bool mentions(const NounPhrase& phrase, std::string_view chinese);
// Whether 都 means "all" of them: more than two people.
bool are_many(const NounPhrase& people);

NounPhrase city(Composer& c);
NounPhrase city_or_country(Composer& c);
NounPhrase known_place(Composer& c, const Noun& place);  // 学校, 这 所 漂亮 的 学校

// A noun of the list that has one of these kinds.
const Noun& pick_noun(Composer& c, std::span<const Noun> nouns, Kinds kinds);
const Noun& pick_countable(Composer& c, Kinds kinds);  // a thing that is no tea and no shoes
const Noun& pick_other(Composer& c, std::span<const Noun> nouns, Kinds kinds,
                       std::string_view than);

// An adjective of the list that can be said of one of these kinds; null if there is none.
const Adjective* pick_adjective(Composer& c, std::span<const Adjective> adjectives, Kinds kinds);

// 漂亮 的, 新: with 的 from two syllables on; empty if no adjective fits.
Phrase attribute(Composer& c, std::span<const Adjective> adjectives, Kinds kinds);

}  // namespace eatt::builtin::zh_en
