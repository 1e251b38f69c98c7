#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr Kinds kSized = kBulky | kAnimal | kBuilding | kPlant;

constexpr Adjective kThingAdjectives[] = {
    {"新", "new", kGoods | kMachine, Use::incomparable},
    {"有趣", "interesting", kReadable | kWatchable},
    {"红色", "red", kColoured, Use::colour},
    {"便宜", "cheap", kGoods},
    {"大", "big", kSized},
    {"漂亮", "beautiful", kPretty},
    {"贵", "expensive", kGoods, Use::predicate},
    {"重要", "important", kSerious},
    {"旧", "old", kGoods & ~kReadable, Use::incomparable},
    {"黑色", "black", kColoured, Use::colour},
    {"好吃", "delicious", kFood, Use::incomparable},
    {"有名", "famous", kRenowned},
    {"小", "small", kSized, Use::incomparable},
    {"长", "long", kWritable},
    {"白色", "white", kColoured, Use::colour},
    {"难", "difficult", kProblem | kSubject | kTask, Use::predicate},
    {"干净", "clean", kWearable | kFragile, Use::incomparable},
    {"蓝色", "blue", kColoured, Use::colour},
};

constexpr Adjective kPlaceAdjectives[] = {
    {"大", "big", kAnyPlace},
    {"安静", "quiet", kPlayPlace | kStudyPlace | kMealPlace},
    {"漂亮", "beautiful", kPlayPlace | kVisitPlace | kMealPlace},
    {"有名", "famous", kVisitPlace | kWorkPlace},
    {"干净", "clean", kAnyPlace, Use::incomparable},
    {"小", "small", kAnyPlace, Use::incomparable},
    {"新", "new", kAnyPlace, Use::incomparable},
};

constexpr Adjective kTraits[] = {
    {"高", "tall", kPerson, Use::predicate},
    {"聪明", "smart", kPerson},
    {"年轻", "young", kPerson},
    {"友好", "friendly", kPerson},
    {"勇敢", "brave", kPerson},
    {"有名", "famous", kRenowned},
    {"诚实", "honest", kPerson},
};

constexpr Adjective kMoods[] = {
    {"忙", "busy", kPerson, Use::predicate},    {"累", "tired", kPerson, Use::predicate},
    {"生气", "angry", kPerson, Use::predicate}, {"紧张", "nervous", kPerson, Use::predicate},
    {"高兴", "happy", kPerson, Use::predicate}, {"饿", "hungry", kPerson, Use::predicate},
};
constexpr size_t kBadMoods = 4;

constexpr Adjective kWeather[] = {{"冷", "cold", 0, Use::predicate},
                                  {"热", "hot", 0, Use::predicate}};

}  // namespace

std::span<const Adjective> thing_adjectives() { return kThingAdjectives; }
std::span<const Adjective> place_adjectives() { return kPlaceAdjectives; }
std::span<const Adjective> traits() { return kTraits; }
std::span<const Adjective> moods() { return kMoods; }
std::span<const Adjective> bad_moods() { return std::span(kMoods).first(kBadMoods); }
std::span<const Adjective> weather_adjectives() { return kWeather; }

}  // namespace eatt::builtin::zh_en
