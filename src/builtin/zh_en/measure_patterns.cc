#include <algorithm>
#include <string>

#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin::zh_en {
namespace {

bool same_words(const NounPhrase& a, const NounPhrase& b) {
  return std::ranges::equal(a.words.source, b.words.source, {}, &Token::text, &Token::text);
}

// Two people, or two things of the same kind.
struct Rivals {
  NounPhrase first, second;
};

Rivals two_people(Composer& c) {
  const NounPhrase first = single_person(c, Role::subject);
  NounPhrase second = single_person(c, Role::object);
  while (second.head == first.head) second = single_person(c, Role::object);
  return {first, second};
}

// Places take 这 or 那; things may also belong to somebody.
Rivals two_things(Composer& c, const Noun& noun) {
  const bool place = (noun.kinds & kAnyPlace) != 0;
  const NounPhrase first = place ? pointed(c, noun) : known_singular(c, noun);
  NounPhrase second = first;
  while (same_words(first, second)) second = place ? pointed(c, noun) : known_singular(c, noun);
  return {first, second};
}

// The same, with the adjective to compare them by.
struct Contest {
  Rivals rivals;
  const Adjective* adjective;
};

Contest contest(Composer& c) {
  if (c.chance(0.45)) return {two_people(c), pick_adjective(c, traits(), kPerson)};
  if (c.chance(0.3)) {
    for (;;) {
      const Noun& place = c.pick(places());
      const Adjective* adjective = pick_adjective(c, place_adjectives(), place.kinds);
      if (adjective->comparable()) return {two_things(c, place), adjective};
    }
  }
  for (;;) {
    const Noun& noun = pick_countable(c, kGoods | kReadable | kWatchable | kBulky | kProblem);
    const Adjective* adjective = pick_adjective(c, thing_adjectives(), noun.kinds);
    if (adjective != nullptr && adjective->comparable()) return {two_things(c, noun), adjective};
  }
}

Phrase be(Composer& c, const NounPhrase& subject) {
  return c.target_only(present_be(subject.agreement));
}

// 最 高: "tallest"; 最 诚实: "most honest"
Phrase most(Composer& c, const Adjective& adjective) {
  const std::string english = english::superlative(adjective.english);
  if (!english.starts_with("most ")) {
    return c.linked("最 " + std::string(adjective.chinese), english);
  }
  return c.rule("最/1 {word}", "most/1 {word}",
                {{"word", c.linked(adjective.chinese, adjective.english)}});
}

// Who is in a place, and how many of them.
struct House {
  std::string_view place, inhabitant;
  Phrase (*number)(Composer&);
};
constexpr House kHouses[] = {
    {"学校", "学生", thousands}, {"大学", "学生", ten_thousands}, {"工厂", "工人", thousands},
    {"医院", "医生", hundreds},  {"学校", "老师", hundreds},      {"医院", "护士", hundreds},
    {"大学", "老师", thousands}, {"工厂", "工程师", hundreds},
};

// A likely price of such a thing.
Phrase price_of(Composer& c, const Noun& noun) {
  if (noun.chinese == "汽车") return ten_thousands(c);
  if ((noun.kinds & (kMachine | kBulky)) != 0) return c.chance(0.6) ? thousands(c) : hundreds(c);
  return (noun.kinds & kReadable) != 0 || c.chance(0.5) ? tens(c) : hundreds(c);
}

}  // namespace

// 小明 比 我 高: "Xiaoming is taller than me"
Phrase comparison(Composer& c) {
  const Contest it = contest(c);
  const Phrase even = c.chance(0.25) ? c.linked("更", "even") : Phrase{};
  const std::string english = english::comparative(it.adjective->english);
  return c.rule("{first} 比/1 {second} {even} {word} 。/2",
                "{first} {be} {even} {word} than/1 {second} ./2",
                {{"first", it.rivals.first.words},
                 {"second", it.rivals.second.words},
                 {"even", even},
                 {"word", c.linked(it.adjective->chinese, english)},
                 {"be", be(c, it.rivals.first)}});
}

// 小明 比 我 大 三 岁: "Xiaoming is three years older than me"
Phrase measured_comparison(Composer& c) {
  if (c.chance(0.6)) {
    const Rivals it = two_people(c);
    const bool age = c.chance(0.6);
    return c.rule(age ? "{first} 比/1 {second} 大/2 {n} 岁/3 。/4"
                      : "{first} 比/1 {second} 高/2 {n} 厘米/3 。/4",
                  age ? "{first} {be} {n} years/3 older/2 than/1 {second} ./4"
                      : "{first} {be} {n} centimeters/3 taller/2 than/1 {second} ./4",
                  {{"first", it.first.words},
                   {"second", it.second.words},
                   {"n", number_between(c, 2, 10)},
                   {"be", be(c, it.first)}});
  }
  const Noun& noun = pick_countable(c, kGoods);
  const Rivals it = two_things(c, noun);
  const bool cheap = c.chance(0.5);
  return c.rule("{first} 比/1 {second} {word} {n} 元/2 。/3",
                "{first} is {n} yuan/2 {word} than/1 {second} ./3",
                {{"first", it.first.words},
                 {"second", it.second.words},
                 {"word", cheap ? c.linked("便宜", "cheaper") : c.linked("贵", "more expensive")},
                 {"n", price_of(c, noun)}});
}

// 我 跟 他 一样 高: "I am as tall as him"; 我 没有 他 高: "I am not as tall as him"
Phrase equality(Composer& c) {
  const Contest it = contest(c);
  const bool equal = c.chance(0.5);
  return c.rule(
      equal ? "{first} 跟/1 {second} 一样/2 {word} 。/3" : "{first} 没有/1 {second} {word} 。/3",
      equal ? "{first} {be} as/2 {word} as/1 {second} ./3"
            : "{first} {be} not/1 as/1 {word} as/1 {second} ./3",
      {{"first", it.rivals.first.words},
       {"second", it.rivals.second.words},
       {"word", c.linked(it.adjective->chinese, it.adjective->english)},
       {"be", be(c, it.rivals.first)}});
}

// 她 是 这 所 学校 里 最 聪明 的 学生: "She is the smartest student in this school"
Phrase superlative(Composer& c) {
  const House& house = c.pick(kHouses);
  const Noun& noun = called(people(), house.inhabitant);
  NounPhrase who = jobless_person(c, Role::subject);
  while (who.agreement == Agreement::plural) who = jobless_person(c, Role::subject);
  const Adjective& trait = *pick_adjective(c, traits(), kPerson);
  return c.rule(
      "{who} 是/1 {place} 里/2 {most} 的 {noun} 。/3",
      "{who} " + std::string(present_be(who.agreement)) + "/1 the {most} {noun} in/2 {place} ./3",
      {{"who", who.words},
       {"place", known_place(c, called(places(), house.place)).words},
       {"most", most(c, trait)},
       {"noun", c.linked(noun.chinese, noun.english)}});
}

// 他 今年 二十 岁: "He is twenty years old this year"
Phrase age(Composer& c) {
  const NounPhrase who = single_person(c, Role::subject);
  const Phrase years = (who.kinds & kYoung) != 0 ? number_between(c, 6, 10) : tens(c);
  return c.rule("{who} 今年/1 {n} 岁/2 。/3", "{who} {be} {n} years/2 old/2 this/1 year/1 ./3",
                {{"who", who.words}, {"n", years}, {"be", be(c, who)}});
}

// 这 台 电脑 要 三千 元: "This computer costs three thousand yuan"
Phrase price(Composer& c) {
  const Noun& noun = pick_countable(c, kGoods);
  return c.rule("{thing} 要/1 {n} 元/2 。/3", "{thing} costs/1 {n} yuan/2 ./3",
                {{"thing", pointed(c, noun).words}, {"n", price_of(c, noun)}});
}

// 那 座 桥 有 五百 米 长: "That bridge is five hundred meters long"
Phrase size(Composer& c) {
  const bool bridge = c.chance(0.5);
  const Noun& noun = called(things(), bridge ? "桥" : "树");
  NounPhrase what = thing(c, noun, Reference::shown);
  while (what.agreement == Agreement::plural) what = thing(c, noun, Reference::shown);
  const Phrase number = !bridge ? tens(c) : c.chance(0.5) ? hundreds(c) : thousands(c);
  return c.rule("{what} 有/1 {n} 米/2 {word} 。/3", "{what} is/1 {n} meters/2 {word} ./3",
                {{"what", what.words},
                 {"n", number},
                 {"word", bridge ? c.linked("长", "long") : c.linked("高", "tall")}});
}

// 这 所 学校 有 三千 个 学生: "This school has three thousand students"
Phrase population(Composer& c) {
  const bool library = c.chance(0.2);
  const House house = library ? House{"图书馆", "书", ten_thousands} : c.pick(kHouses);
  const Noun& noun = called(library ? things() : people(), house.inhabitant);
  return c.rule("{place} 有/1 {n} {measure} {noun} 。/2", "{place} has/1 {n} {noun} ./2",
                {{"place", known_place(c, called(places(), house.place)).words},
                 {"n", house.number(c)},
                 {"measure", c.source_only(noun.measure)},
                 {"noun", c.linked(noun.chinese, english::plural(noun.english))}});
}

// 这 家 工厂 去年 生产 了 三万 台 电脑: "This factory produced thirty thousand computers last year"
Phrase production(Composer& c) {
  static constexpr Verb kProduce{"生产", "produce", 0, kPast | kHabit, kMemorable};
  Clause clause;
  clause.subject = known_place(c, called(places(), "工厂"));
  clause.verb = &kProduce;
  clause.tense = {c.chance(0.7) ? Aspect::past : Aspect::habit};
  const bool past = clause.tense.aspect == Aspect::past;
  clause.time = past            ? c.linked("去年", "last year")
                : c.chance(0.5) ? c.linked("每年", "every year")
                                : c.rule("每/1 个 月/2", "every/1 month/2");
  clause.time_place = pick_time_place(c, clause.subject, clause.time);
  const Noun& noun = pick_countable(c, kMachine | kWearable | kBulky);
  clause.object = c.rule("{n} {measure} {noun}", "{n} {noun}",
                         {{"n", c.chance(0.5) ? thousands(c) : ten_thousands(c)},
                          {"measure", c.source_only(noun.measure)},
                          {"noun", c.linked(noun.chinese, english::plural(noun.english))}});
  return full_stop(c, statement(c, clause));
}

}  // namespace eatt::builtin::zh_en
