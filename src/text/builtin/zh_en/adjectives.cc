#include "text/builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr Adjective kThingAdjectives[] = {
    {"新", "new", kGoods | kMachine, true},
    {"有趣", "interesting", kReadable | kWatchable, true},
    {"红色", "red", kColoured, true},
    {"便宜", "cheap", kGoods, true},
    {"大", "big", kBulky | kAnimal | kBuilding | kPlant, true},
    {"旧", "old", kGoods & ~kReadable, true},
    {"漂亮", "beautiful", kWearable | kPlant | kBuilding, true},
    {"贵", "expensive", kGoods, false},
    {"重要", "important", kTask | kTopic | kOccasion, true},
    {"黑色", "black", kColoured, true},
    {"小", "small", kBulky | kAnimal | kBuilding | kPlant, true},
    {"有名", "famous", kWatchable | kSong | kBuilding, true},
    {"好吃", "delicious", kFood, true},
    {"白色", "white", kColoured, true},
    {"长", "long", kWritable, true},
    {"重", "heavy", kBulky, false},
    {"难", "difficult", kProblem | kSubject | kTask, false},
    {"干净", "clean", kWearable | kFragile, true},
    {"蓝色", "blue", kColoured, true},
};

constexpr Adjective kPlaceAdjectives[] = {
    {"大", "big", ~0u, true},
    {"漂亮", "beautiful", kPlayPlace | kVisitPlace | kMealPlace, true},
    {"有名", "famous", kVisitPlace | kWorkPlace, true},
    {"安静", "quiet", kPlayPlace | kStudyPlace | kMealPlace, true},
    {"干净", "clean", ~0u, true},
    {"小", "small", ~0u, true},
    {"新", "new", ~0u, true},
};

constexpr Adjective kTraits[] = {
    {"高", "tall", kPerson, false},      {"聪明", "smart", kPerson, true},
    {"年轻", "young", kPerson, true},    {"友好", "friendly", kPerson, true},
    {"勇敢", "brave", kPerson, true},    {"有名", "famous", kPerson, true},
    {"诚实", "honest", kPerson, true},   {"健康", "healthy", kPerson, true},
};

constexpr Adjective kMoods[] = {
    {"忙", "busy", kPerson, false},   {"累", "tired", kPerson, false},
    {"高兴", "happy", kPerson, false}, {"饿", "hungry", kPerson, false},
    {"生气", "angry", kPerson, false}, {"紧张", "nervous", kPerson, false},
};

}  // namespace

std::span<const Adjective> thing_adjectives() { return kThingAdjectives; }
std::span<const Adjective> place_adjectives() { return kPlaceAdjectives; }
std::span<const Adjective> traits() { return kTraits; }
std::span<const Adjective> moods() { return kMoods; }

}  // namespace eatt::builtin::zh_en
