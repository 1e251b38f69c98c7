#pragma once

#include <string_view>

#include "text/builtin/composer.h"
#include "text/builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {

// What an English verb must know of its subject.
enum class Agreement { first_person, singular, plural };

enum class Role { subject, object };  // "he" or "him"

struct NounPhrase {
  Phrase words{};
  Agreement agreement = Agreement::singular;
  std::string_view head{};  // Its main Chinese word: keeps people from helping themselves.
  bool pronoun = false;
};

// Number and article are told by the Chinese words alone:
//   一 本 书 "a book"       三 本 书 "three books"        这 本 书 "this book"
//   那 三 本 书 "those three books"   这些 书 "these books"   我 的 书 "my book"
//   老师 "the teacher"      孩子 们 "the children"        很多 书 "many books"
// A bare noun is definite and singular; a bare object of a habit is plural ("reads novels").

NounPhrase person(Composer& c, Role role);
// Somebody else than `other`, and no pronoun if `other` is one.
NounPhrase another_person(Composer& c, Role role, const NounPhrase& other);
NounPhrase several_people(Composer& c, Role role);  // a plural

enum class Reference {
  new_one,   // 一 本, 三 本, 很多
  known,     // 这 本, 那些, 我 的
  either,
  in_general,  // bare: "novels", "tea"
};
NounPhrase thing(Composer& c, const Noun& noun, Reference reference);
NounPhrase bare(Composer& c, const Noun& noun);     // 窗户: "the window"
NounPhrase counted(Composer& c, const Noun& noun);  // 一 家 银行, 三 个 学生, 很多 狗
NounPhrase known_singular(Composer& c, const Noun& noun);  // 那 本 书, 我 的 书
NounPhrase owned(Composer& c, const Noun& noun);           // 我 的 书, 老师 的 书

// A noun of the list that has one of these kinds.
const Noun& pick_noun(Composer& c, std::span<const Noun> nouns, uint32_t kinds);
const Noun& pick_countable(Composer& c, uint32_t kinds);  // a thing with a singular: no tea, no shoes

// An adjective of the list that can be said of one of these kinds; null if there is none.
const Adjective* pick_adjective(Composer& c, std::span<const Adjective> adjectives, uint32_t kinds);

// 漂亮 的, 新: with 的 from two syllables on; empty if no adjective fits.
Phrase attribute(Composer& c, std::span<const Adjective> adjectives, uint32_t kinds);

NounPhrase city(Composer& c);
NounPhrase city_or_country(Composer& c);
NounPhrase known_place(Composer& c, const Noun& place);  // 这 所 学校, 学校

}  // namespace eatt::builtin::zh_en
