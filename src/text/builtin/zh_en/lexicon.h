#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The words of the Chinese-English grammar. English words are given in their base form; english.h
// inflects them. Lists are in order of frequency: Composer::pick prefers the front.
namespace eatt::builtin::zh_en {

// What can be done with a thing, or said of it. Verbs and adjectives ask for one of these, which
// keeps chairs from being eaten.
enum Kind : uint32_t {
  kReadable = 1 << 0,
  kWritable = 1 << 1,
  kWatchable = 1 << 2,
  kSong = 1 << 3,
  kFood = 1 << 4,
  kDrink = 1 << 5,
  kGoods = 1 << 6,  // bought and sold
  kWearable = 1 << 7,
  kMachine = 1 << 8,    // repaired
  kPortable = 1 << 9,   // lost, found, stolen, given; lies on a table
  kFragile = 1 << 10,   // broken
  kOpenable = 1 << 11,  // opened and closed
  kDrawable = 1 << 12,
  kPlant = 1 << 13,
  kBuilding = 1 << 14,
  kBorrowed = 1 << 15,
  kBulky = 1 << 16,  // big, small, heavy
  kColoured = 1 << 17,
  kTask = 1 << 18,
  kTopic = 1 << 19,
  kOccasion = 1 << 20,
  kMeal = 1 << 21,
  kSubject = 1 << 22,  // studied
  kLanguage = 1 << 23,
  kFootball = 1 << 24,
  kBasketball = 1 << 25,
  kInstrument = 1 << 26,
  kPhoto = 1 << 27,
  kAnimal = 1 << 28,
  kPerson = 1 << 29,
  kProblem = 1 << 30,
  kMusic = 1u << 31,
};

// What people do in a place.
enum PlaceKind : uint32_t {
  kStudyPlace = 1 << 0,
  kMealPlace = 1 << 1,
  kShopPlace = 1 << 2,
  kPlayPlace = 1 << 3,
  kWorkPlace = 1 << 4,
  kVisitPlace = 1 << 5,
  kWaitPlace = 1 << 6,
  kRoom = 1 << 7,  // cleaned; part of a building
  kTown = 1 << 8,  // a goal of its own: not a room
};

struct Noun {
  std::string_view chinese;
  std::string_view measure;  // 本 in 一 本 书; empty: cannot be counted
  std::string_view english;
  uint32_t kinds;                   // Kind; PlaceKind in places()
  std::string_view container = "";  // "cup": 一 杯 茶 is "a cup of tea"; empty: 一 本 书 is "a book"
};

struct Name {
  std::string_view chinese;
  std::string_view english;
};

std::span<const Noun> people();
std::span<const Noun> kin();  // 我 妈妈 is "my mother"
std::span<const Name> first_names();
std::span<const Name> surnames();
std::span<const Name> titles();  // 王 先生 is "Mr. Wang"
std::span<const Noun> animals();
std::span<const Noun> things();
std::span<const Noun> places();
const Noun& thing_called(std::string_view chinese);
std::span<const Name> cities();
std::span<const Name> countries();

struct Adjective {
  std::string_view chinese;
  std::string_view english;
  uint32_t kinds;  // What it is said of.
  bool attributive;
};
std::span<const Adjective> thing_adjectives();
std::span<const Adjective> place_adjectives();  // kinds are PlaceKind
std::span<const Adjective> traits();            // of people, for good: can be compared
std::span<const Adjective> moods();             // of people, for now

// How a verb may be used; see verb_group.h for the forms.
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
  kMemorable = 1 << 0,     // still told years later: goes with "fifty years ago"
  kForSomeone = 1 << 1,    // 给 妈妈 买: "buy … for my mother"
  kTogether = 1 << 2,      // 跟 朋友 一起
  kBareObject = 1 << 3,    // 打开 窗户: "open the window"
  kDefinite = 1 << 4,      // the object is known: 这, 那, 我 的
  kFromLibrary = 1 << 5,   // 从 图书馆 借
  kByComputer = 1 << 6,    // 用 电脑 写
  kByCamera = 1 << 7,      // 用 相机 拍
  kCarefully = 1 << 8,     // takes an adverb of manner
  kPlaceObject = 1 << 9,   // the object is a place: places() with the kinds of `objects`
};

struct Verb {
  std::string_view chinese;
  std::string_view english;
  uint32_t objects;  // Kind; 0: intransitive
  uint32_t aspects;  // AspectSet
  uint32_t traits = 0;
  uint32_t places = 0;  // PlaceKind: where it is done
};
std::span<const Verb> verbs();         // transitive
std::span<const Verb> intransitives();
std::span<const Verb> stative_verbs();

}  // namespace eatt::builtin::zh_en
