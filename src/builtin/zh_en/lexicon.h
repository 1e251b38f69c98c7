#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "builtin/composer.h"

// The words of the Chinese-English grammar. English words are given in their base form; english.cc
// inflects them. Lists are in order of frequency: Composer::pick prefers the front.
namespace eatt::builtin::zh_en {

// What a noun can be used for. Verbs and adjectives require one of these kinds, so that nobody eats
// a chair.
using Kinds = uint64_t;
constexpr Kinds kind(int bit) { return Kinds{1} << bit; }

// Things.
constexpr Kinds kReadable = kind(0);
constexpr Kinds kWritable = kind(1);
constexpr Kinds kWatchable = kind(2);
constexpr Kinds kSong = kind(3);
constexpr Kinds kMusic = kind(4);
constexpr Kinds kFood = kind(5);
constexpr Kinds kDrink = kind(6);
constexpr Kinds kMeal = kind(7);
constexpr Kinds kGoods = kind(8);  // bought and sold
constexpr Kinds kWearable = kind(9);
constexpr Kinds kMachine = kind(10);   // repaired
constexpr Kinds kPortable = kind(11);  // lost, found, stolen, given; lies on a table
constexpr Kinds kFragile = kind(12);   // broken
constexpr Kinds kOpenable = kind(13);  // opened and closed
constexpr Kinds kDrawable = kind(14);
constexpr Kinds kPlant = kind(15);
constexpr Kinds kBuilding = kind(16);
constexpr Kinds kBorrowed = kind(17);
constexpr Kinds kBulky = kind(18);  // big or small; stands in a room
constexpr Kinds kColoured = kind(19);
constexpr Kinds kTask = kind(20);
constexpr Kinds kTopic = kind(21);
constexpr Kinds kProblem = kind(22);
constexpr Kinds kOccasion = kind(23);
constexpr Kinds kSubject = kind(24);  // studied
constexpr Kinds kFootball = kind(25);
constexpr Kinds kBasketball = kind(26);
constexpr Kinds kInstrument = kind(27);
constexpr Kinds kPhoto = kind(28);
constexpr Kinds kAnimal = kind(29);
constexpr Kinds kPet = kind(30);       // can be owned
constexpr Kinds kGift = kind(31);      // given to people
constexpr Kinds kPretty = kind(32);    // may be called beautiful
constexpr Kinds kSerious = kind(33);   // may be called important
constexpr Kinds kRenowned = kind(34);  // may be called famous; people, too
constexpr Kinds kDurable = kGoods | kReadable | kWritable | kWatchable;  // neither eaten nor drunk

// People.
constexpr Kinds kPerson = kind(35);
constexpr Kinds kJob = kind(36);    // a profession: needs no determiner, "the doctor"
constexpr Kinds kYoung = kind(37);  // too young for "fifty years ago"
constexpr Kinds kFamily = kind(38);

// Places: what people do there.
constexpr Kinds kStudyPlace = kind(39);
constexpr Kinds kMealPlace = kind(40);
constexpr Kinds kShopPlace = kind(41);
constexpr Kinds kPlayPlace = kind(42);
constexpr Kinds kWorkPlace = kind(43);
constexpr Kinds kVisitPlace = kind(44);
constexpr Kinds kWaitPlace = kind(45);
constexpr Kinds kCookPlace = kind(46);
constexpr Kinds kRestPlace = kind(47);
constexpr Kinds kRoom = kind(48);  // part of a building: cleaned
constexpr Kinds kTown = kind(49);  // a destination
constexpr Kinds kAt = kind(50);  // 在 医院: "at the hospital"; others are 在 公园 里: "in the park"
constexpr Kinds kAnyPlace = kRoom | kTown | kPlayPlace;

struct Noun {
  std::string_view chinese;
  std::string_view measure;  // 本 in 一 本 书; empty: cannot be counted
  std::string_view english;
  Kinds kinds;
  // "cup": 一 杯 茶 is "a cup of tea"; empty: 一 本 书 is "a book", and the measure is not
  // translated.
  std::string_view container = "";
};

struct Name {
  std::string_view chinese;
  std::string_view english;
};

std::span<const Noun> people();
std::span<const Noun> kin();            // 我 妈妈 is "my mother"
std::span<const Noun> acquaintances();  // 我 的 朋友 is "my friend"
std::span<const Name> first_names();
std::span<const Name> surnames();
std::span<const Name> titles();  // 王 先生 is "Mr. Wang"
std::span<const Noun> animals();
std::span<const Noun> things();
std::span<const Noun> places();
const Noun& called(std::span<const Noun> nouns, std::string_view chinese);
std::span<const Name> cities();
std::span<const Name> countries();

enum class Use : uint8_t {
  anywhere,      // 漂亮: of a thing, before its noun, compared
  incomparable,  // 新: the same without comparisons
  predicate,     // 贵: not before a noun
  colour,        // 红色: 是 红色 的, never 很 红色
};

struct Adjective {
  std::string_view chinese;
  std::string_view english;
  Kinds kinds;  // Kinds of nouns that it fits.
  Use use = Use::anywhere;

  bool attributive() const { return use != Use::predicate; }
  bool comparable() const { return use == Use::anywhere || use == Use::predicate; }
};
std::span<const Adjective> thing_adjectives();
std::span<const Adjective> place_adjectives();
std::span<const Adjective> traits();     // of people, permanent: can be compared
std::span<const Adjective> moods();      // of people, temporary
std::span<const Adjective> bad_moods();  // reasons for not doing something
std::span<const Adjective> weather_adjectives();

// How a verb may be used; see clause.h for the forms.
enum AspectSet : uint32_t {
  kPast = 1 << 0,
  kProgressive = 1 << 1,
  kFuture = 1 << 2,
  kHabit = 1 << 3,
  kPerfect = 1 << 4,     // 过, 已经 … 了
  kModal = 1 << 5,       // 想, 应该, 能 …
  kImperative = 1 << 6,  // 请 …
  kMostAspects = kPast | kProgressive | kFuture | kHabit | kModal,
  kAllAspects = kMostAspects | kPerfect | kImperative,
};

enum VerbTrait : uint32_t {
  kMemorable = 1 << 0,    // worth telling years later: goes with "fifty years ago"
  kForSomeone = 1 << 1,   // 给 妈妈 买: "buy … for my mother"
  kTogether = 1 << 2,     // 跟 朋友 一起
  kBareObject = 1 << 3,   // 打开 窗户: "open the window"
  kDefinite = 1 << 4,     // the object is definite: 这, 那, 我 的
  kFromLibrary = 1 << 5,  // 从 图书馆 借
  kByComputer = 1 << 6,   // 用 电脑 写
  kByCamera = 1 << 7,     // 用 相机 拍
  kCarefully = 1 << 8,    // takes an adverb of manner
  kPlaceObject = 1 << 9,  // the object is a place
  kEffort = 1 << 10,      // not done by tired people
  kOutdoors = 1 << 11,    // not done in the rain
  kCreates = 1 << 12,     // brings the object into being: 写 一 封 信, not 写 我 的 信
  kShown = 1 << 13,  // a definite object takes 这 or 那, not 我 的: nobody buys his own things
  kNotFamily = 1 << 14,  // not done to one's family: nobody meets his mother
  kGrownUp = 1 << 15,    // not done by children
  kSlow = 1 << 16,       // takes months: never "yesterday"
};

struct Verb {
  std::string_view chinese;
  std::string_view english;
  Kinds objects;     // 0: intransitive
  uint32_t aspects;  // AspectSet
  uint32_t traits = 0;
  Kinds places = 0;  // where it is done
};
std::span<const Verb> verbs();  // transitive
std::span<const Verb> intransitives();
std::span<const Verb> stative_verbs();

}  // namespace eatt::builtin::zh_en

// The inflection of English, for the words of our lexicon: regular rules and the irregular words.
namespace eatt::builtin::english {

// "police officer" → "police officers", "child" → "children", "pair" → "pairs"
std::string plural(std::string_view noun);

enum class Form { base, third_person, past, participle, gerund };

// Inflects the first word: "listen to" → "listened to".
std::string inflect(std::string_view verb, Form form);

std::string comparative(std::string_view adjective);  // "taller", "more famous"
std::string superlative(std::string_view adjective);  // "tallest", "most famous"

// Turns "a" into "an" where the next word requires it.
void correct_articles(Words& sentence);

// Capitalizes the first letter of the sentence.
void capitalize(Words& sentence);

}  // namespace eatt::builtin::english
