#pragma once

#include <string_view>

#include "builtin/composer.h"
#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {

// What an English verb agrees with.
enum class Agreement { first_person, singular, plural };

enum class Role { subject, object };  // "he" or "him"

struct NounPhrase {
  Phrase words{};
  Agreement agreement = Agreement::singular;
  std::string_view head{};  // Its main Chinese word, so that subject and object differ.
  bool pronoun = false;
  Kinds kinds = 0;  // of its noun; 0 for names and pronouns
};

// The Chinese words determine number and article:
//   一 本 书 "a book"    三 本 书 "three books"           很多 书 "many books"
//   这 本 书 "this book" 那 三 本 书 "those three books"   这些 书 "these books"
//   我 的 书 "my book"   老师 "the teacher"               孩子 们 "the children"
// A bare noun is definite and singular, except as the object of a habit or a liking, where it is
// generic: 读 小说 "reads novels". A measure word is not translated unless it is a container:
// 三 杯 茶 "three cups of tea".

NounPhrase person(Composer& c, Role role);
NounPhrase single_person(Composer& c, Role role);
NounPhrase jobless_person(Composer& c, Role role);  // whose profession is not given yet
// Somebody other than `other`, and not a pronoun if `other` is one.
NounPhrase another_person(Composer& c, Role role, const NounPhrase& other);

enum class Reference {
  unknown,     // 一 本, 三 本, 很多
  single,      // 一 本
  known,       // 这 本, 那些, 我 的
  shown,       // 这 本, 那些
  in_general,  // bare: "novels", "tea"
};
NounPhrase thing(Composer& c, const Noun& noun, Reference reference);

// Single forms of these.
NounPhrase bare(Composer& c, const Noun& noun);     // 窗户: "the window"
NounPhrase counted(Composer& c, const Noun& noun);  // 一 个 学生, 三 个 学生, 很多 学生
NounPhrase one(Composer& c, const Noun& noun, const Phrase& attribute);  // 一 个 [聪明 的] 学生
NounPhrase pointed(Composer& c, const Noun& noun);                       // 那 本 书
NounPhrase known_singular(Composer& c, const Noun& noun);                // 那 本 书, 我 的 书
NounPhrase known_plain(Composer& c, const Noun& noun);  // Reference::known, no adjective
NounPhrase owned(Composer& c, const Noun& noun);        // 我 的 书, 老师 的 书

// Whether the Chinese side contains this word.
bool mentions(const NounPhrase& phrase, std::string_view chinese);
// Whether 都 means "all" of them: more than two people.
bool are_many(const NounPhrase& people);

NounPhrase city(Composer& c);
NounPhrase city_or_country(Composer& c);
NounPhrase known_place(Composer& c, const Noun& place);  // 学校, 这 所 漂亮 的 学校

// A noun of the list that has one of these kinds.
const Noun& pick_noun(Composer& c, std::span<const Noun> nouns, Kinds kinds);
const Noun& pick_countable(Composer& c,
                           Kinds kinds);  // a thing that can be counted without a container
const Noun& pick_other(Composer& c, std::span<const Noun> nouns, Kinds kinds,
                       std::string_view than);

// An adjective of the list that fits one of these kinds; null if there is none.
const Adjective* pick_adjective(Composer& c, std::span<const Adjective> adjectives, Kinds kinds);

// 漂亮 的, 新: with 的 if it has two syllables or more; empty if no adjective fits.
Phrase attribute(Composer& c, std::span<const Adjective> adjectives, Kinds kinds);

// Nouns with a relative clause: before the noun in Chinese, after it in English.

// 我 昨天 买 的 那 本 书: "that book that I bought yesterday"
struct RelatedThing {
  NounPhrase phrase;
  const Noun* noun;
};
RelatedThing related_thing(Composer& c, Kinds kinds);  // a noun of these kinds

// 在 医院 里 工作 的 女人: "the woman who works in the hospital"
NounPhrase related_person(Composer& c);

// Numbers from two on, so that the noun is always plural in English.
Phrase number_between(Composer& c, int first, int last);  // 两 … 十, all equally likely
Phrase small_number(Composer& c);                         // the same, mostly up to five
Phrase tens(Composer& c);                                 // 二十 … 九十, or in digits: 50
Phrase hundreds(Composer& c);                             // 三百: "three hundred"
Phrase thousands(Composer& c);                            // 三千: "three thousand"
Phrase ten_thousands(Composer& c);                        // 三万: "thirty thousand"

// Time phrases: before the verb in Chinese, at the end in English. The Chinese words determine past
// or future, and so the tense of the English verb.
enum class Detail {
  day,   // 昨天, 上 个 星期一
  hour,  // 昨天 上午 九 点, 今天 早上 as well
};
Phrase days_ago(Composer& c, Detail detail = Detail::hour);
Phrase long_ago(Composer& c);   // 大约 50 年 前, 二〇一四年 三月 五日
Phrase years_ago(Composer& c);  // 大约 50 年 前
Phrase soon(Composer& c, Detail detail = Detail::hour);        // 明天 下午, 下 个 星期五
Phrase in_days(Composer& c, Detail detail = Detail::hour);     // the same, and 三 天 后
Phrase later_on(Composer& c);                                  // 下 个 月, 明年, 两 年 后
Phrase habit_time(Composer& c, Detail detail = Detail::hour);  // 每天 早上, 每 个 星期天

// 三月 五日: the day, in the past or in the future.
Phrase month_and_day(Composer& c);

Phrase years_long(Composer& c);  // 三 年: "for three years"
Phrase hours_long(Composer& c);  // 两 个 小时: "for two hours"

}  // namespace eatt::builtin::zh_en
