#include <algorithm>

#include "text/builtin/zh_en/clause.h"
#include "text/builtin/zh_en/english.h"
#include "text/builtin/zh_en/noun_phrases.h"
#include "text/builtin/zh_en/numbers.h"
#include "text/builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

// Two people, or two things of one sort, and what they are compared by.
struct Contest {
  NounPhrase first, second;
  const Adjective* adjective;
};

bool same_words(const NounPhrase& a, const NounPhrase& b) {
  return std::ranges::equal(a.words.source, b.words.source, {}, &Token::text, &Token::text);
}

bool comparable(const Adjective& adjective) {
  return !adjective.chinese.ends_with("色");  // No car is redder than another.
}

Contest contest(Composer& c) {
  if (c.chance(0.45)) {
    const NounPhrase first = person(c, Role::subject);
    NounPhrase second = person(c, Role::object);
    const auto overlap = [&] {  // 我们 and 我
      return first.pronoun && second.pronoun &&
             (first.agreement == Agreement::plural || second.agreement == Agreement::plural);
    };
    while (second.head == first.head || overlap()) second = person(c, Role::object);
    return {first, second, &c.pick(traits())};
  }
  for (;;) {
    const Noun& noun = pick_countable(c, kGoods | kReadable | kWatchable | kBulky | kProblem);
    const Adjective* adjective = pick_adjective(c, thing_adjectives(), noun.kinds);
    if (adjective == nullptr || !comparable(*adjective)) continue;
    const NounPhrase first = known_singular(c, noun);
    NounPhrase second = known_singular(c, noun);
    while (same_words(first, second)) second = known_singular(c, noun);
    return {first, second, adjective};
  }
}

Phrase be(Composer& c, const NounPhrase& subject) {
  return c.target_only(present_be(subject.agreement));
}

}  // namespace

// 小明 比 我 高: "Xiaoming is taller than me"
Phrase comparison(Composer& c) {
  const Contest pair = contest(c);
  const Phrase even = c.chance(0.25) ? c.linked("更", "even") : Phrase{};
  return c.rule(
      "{first} 比/1 {second} {even} {word} 。/2", "{first} {be} {even} {word} than/1 {second} ./2",
      {{"first", pair.first.words},
       {"second", pair.second.words},
       {"even", even},
       {"word", c.linked(pair.adjective->chinese, english::comparative(pair.adjective->english))},
       {"be", be(c, pair.first)}});
}

// 小明 比 我 大 三 岁: "Xiaoming is three years older than me"
Phrase measured_comparison(Composer& c) {
  if (c.chance(0.5)) {
    Contest pair = contest(c);
    while (pair.adjective->kinds != kPerson) pair = contest(c);
    const bool age = c.chance(0.6);
    return c.rule(age ? "{first} 比/1 {second} 大/2 {n} 岁/3 。/4"
                      : "{first} 比/1 {second} 高/2 {n} 厘米/3 。/4",
                  age ? "{first} {be} {n} years/3 older/2 than/1 {second} ./4"
                      : "{first} {be} {n} centimeters/3 taller/2 than/1 {second} ./4",
                  {{"first", pair.first.words},
                   {"second", pair.second.words},
                   {"n", small_number(c)},
                   {"be", be(c, pair.first)}});
  }
  const Noun& noun = pick_countable(c, kGoods);
  const NounPhrase first = known_singular(c, noun);
  NounPhrase second = known_singular(c, noun);
  while (same_words(first, second)) second = known_singular(c, noun);
  const bool cheap = c.chance(0.5);
  return c.rule("{first} 比/1 {second} {word} {n} 元/2 。/3",
                "{first} is {n} yuan/2 {word} than/1 {second} ./3",
                {{"first", first.words},
                 {"second", second.words},
                 {"word", cheap ? c.linked("便宜", "cheaper") : c.linked("贵", "more expensive")},
                 {"n", c.chance(0.5) ? tens(c) : large_number(c)}});
}

// 我 跟 他 一样 高: "I am as tall as him"; 我 没有 他 高: "I am not as tall as him"
Phrase equality(Composer& c) {
  const Contest pair = contest(c);
  const bool equal = c.chance(0.5);
  return c.rule(equal ? "{first} 跟/1 {second} 一样/2 {word} 。/3" : "{first} 没有/1 {second} {word} 。/3",
                equal ? "{first} {be} as/2 {word} as/1 {second} ./3"
                      : "{first} {be} not/1 as/1 {word} as/1 {second} ./3",
                {{"first", pair.first.words},
                 {"second", pair.second.words},
                 {"word", c.linked(pair.adjective->chinese, pair.adjective->english)},
                 {"be", be(c, pair.first)}});
}

// 她 是 这 所 学校 里 最 聪明 的 学生: "She is the smartest student in this school"
Phrase superlative(Composer& c) {
  NounPhrase subject = person(c, Role::subject);
  while (subject.agreement == Agreement::plural) subject = person(c, Role::subject);
  const Adjective& trait = c.pick(traits());
  const Noun* noun = &c.pick(people());
  while (noun->chinese == subject.head) noun = &c.pick(people());
  const NounPhrase place = known_place(c, pick_noun(c, places(), kWorkPlace));
  return c.rule(
      "{subject} 是/1 {place} 里/2 {most} 的 {noun} 。/3",
      "{subject} " + std::string(present_be(subject.agreement)) + "/1 the {most} {noun} in/2 {place} ./3",
      {{"subject", subject.words},
       {"place", place.words},
       {"most", c.linked("最 " + std::string(trait.chinese), english::superlative(trait.english))},
       {"noun", c.linked(noun->chinese, noun->english)}});
}

// 他 今年 二十 岁: "He is twenty years old this year"
Phrase age(Composer& c) {
  NounPhrase subject = person(c, Role::subject);
  while (subject.agreement == Agreement::plural) subject = person(c, Role::subject);
  return c.rule("{subject} 今年/1 {n} 岁/2 。/3", "{subject} {be} {n} years/2 old/2 this/1 year/1 ./3",
                {{"subject", subject.words}, {"n", tens(c)}, {"be", be(c, subject)}});
}

// 这 台 电脑 要 三千 元: "This computer costs three thousand yuan"
Phrase price(Composer& c) {
  const Noun& noun = pick_countable(c, kGoods);
  const bool dear = (noun.kinds & (kMachine | kBulky)) != 0;
  return c.rule("{thing} 要/1 {n} 元/2 。/3", "{thing} costs/1 {n} yuan/2 ./3",
                {{"thing", known_singular(c, noun).words}, {"n", dear ? large_number(c) : tens(c)}});
}

// 这 所 学校 有 三千 个 学生: "This school has three thousand students"
Phrase population(Composer& c) {
  struct House {
    std::string_view place, people;
  };
  constexpr House kHouses[] = {{"学校", "学生"}, {"工厂", "工人"}, {"大学", "老师"},
                               {"医院", "医生"}, {"学校", "老师"}, {"大学", "学生"},
                               {"医院", "护士"}, {"工厂", "工程师"}};
  const House& house = c.pick(kHouses);
  const Noun& place = *std::ranges::find(places(), house.place, &Noun::chinese);
  const Noun& who = *std::ranges::find(people(), house.people, &Noun::chinese);
  return c.rule("{place} 有/1 {n} {measure} {who} 。/2", "{place} has/1 {n} {who} ./2",
                {{"place", known_place(c, place).words},
                 {"n", large_number(c)},
                 {"measure", c.source_only(who.measure)},
                 {"who", c.linked(who.chinese, english::plural(who.english))}});
}

}  // namespace eatt::builtin::zh_en
