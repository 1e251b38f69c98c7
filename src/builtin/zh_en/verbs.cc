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

namespace {

constexpr uint32_t kOnce = kPast | kFuture | kPerfect | kModal | kImperative;

constexpr Verb kVerbs[] = {
    {"买", "buy", kGoods, kOnce, kForSomeone | kShown, kShopPlace},
    {"读", "read", kReadable, kAllAspects, kCarefully, kStudyPlace},
    {"写", "write", kWritable, kAllAspects, kMemorable | kByComputer | kEffort | kCreates,
     kStudyPlace},
    {"吃", "eat", kFood, kAllAspects, kTogether, kMealPlace},
    {"看", "watch", kWatchable, kAllAspects, kTogether},
    {"喝", "drink", kDrink, kAllAspects, kTogether, kMealPlace},
    {"帮助", "help", kPerson, kPast | kFuture | kHabit | kModal | kImperative, kEffort},
    {"买", "buy", kFood | kDrink, kOnce, kForSomeone | kShown, kShopPlace},
    {"学习", "study", kSubject, kMostAspects, kMemorable | kTogether | kEffort, kStudyPlace},
    {"参观", "visit", kVisitPlace, kOnce, kMemorable | kTogether | kPlaceObject | kOutdoors},
    {"吃", "eat", kMeal, kMostAspects, kTogether, kMealPlace},
    {"遇到", "meet", kPerson, kPast | kPerfect, kMemorable | kNotFamily, kWaitPlace | kPlayPlace},
    {"借", "borrow", kBorrowed, kOnce, kFromLibrary},
    {"打扫", "clean", kRoom, kMostAspects | kImperative, kPlaceObject | kEffort},
    {"修理", "repair", kMachine, kOnce | kProgressive,
     kForSomeone | kDefinite | kEffort | kGrownUp},
    {"准备", "prepare", kMeal, kMostAspects | kImperative, kForSomeone | kEffort, kCookPlace},
    {"建", "build", kBuilding, kPast | kFuture | kProgressive, kSlow | kCreates | kGrownUp},
    {"找到", "find", kPortable, kPast | kPerfect | kFuture, kDefinite},
    {"讨论", "discuss", kTopic, kOnce | kProgressive, kTogether | kDefinite, kStudyPlace},
    {"听", "listen to", kSong | kMusic, kMostAspects, kTogether, kPlayPlace | kRestPlace},
    {"洗", "wash", kWearable, kMostAspects | kImperative, kDefinite | kForSomeone | kEffort},
    {"参加", "attend", kOccasion, kOnce, kMemorable | kTogether | kEffort | kOutdoors},
    {"画", "draw", kDrawable, kOnce | kProgressive, kForSomeone | kCarefully | kCreates,
     kPlayPlace},
    {"采访", "interview", kPerson, kOnce | kProgressive, kMemorable | kNotFamily | kGrownUp,
     kWorkPlace},
    {"等", "wait for", kPerson, kProgressive | kFuture | kModal, 0, kWaitPlace},
    {"打开", "open", kOpenable, kPast | kPerfect | kModal | kImperative, kBareObject},
    {"照顾", "take care of", kPerson, kMostAspects & ~kPast, kEffort},
    {"丢", "lose", kPortable, kPast | kPerfect, kDefinite},
    {"邀请", "invite", kPerson, kOnce},
    {"踢", "play", kFootball, kMostAspects, kTogether | kOutdoors, kPlayPlace},
    {"翻译", "translate", kWritable, kOnce | kProgressive,
     kCarefully | kMemorable | kEffort | kGrownUp, kStudyPlace},
    {"种", "plant", kPlant, kPast | kFuture | kModal | kProgressive,
     kMemorable | kOutdoors | kCreates, kPlayPlace},
    {"完成", "finish", kTask, kOnce, kDefinite | kEffort},
    {"打", "play", kBasketball, kMostAspects, kTogether | kOutdoors, kPlayPlace},
    {"弹", "play", kInstrument, kMostAspects, kBareObject | kForSomeone},
    {"唱", "sing", kSong, kMostAspects & ~kHabit, kForSomeone | kTogether, kPlayPlace},
    {"关上", "close", kOpenable, kPast | kPerfect | kModal | kImperative, kBareObject},
    {"表扬", "praise", kPerson, kPast | kModal},
    {"拍", "take", kPhoto, kOnce | kProgressive, kByCamera | kCreates, kPlayPlace | kVisitPlace},
    {"解决", "solve", kProblem, kOnce, kDefinite | kMemorable},
    {"喂", "feed", kAnimal, (kMostAspects & ~kHabit) | kImperative, kDefinite},
    {"批评", "criticize", kPerson, kPast | kModal},
};

constexpr uint32_t kNotHabit = kMostAspects & ~kHabit;
constexpr Verb kIntransitives[] = {
    {"工作", "work", 0, kMostAspects, kTogether | kEffort, kWorkPlace},
    {"睡觉", "sleep", 0, kNotHabit, 0, kRestPlace},
    {"跑步", "run", 0, kMostAspects, kTogether | kEffort | kOutdoors, kPlayPlace},
    {"游泳", "swim", 0, kMostAspects, kTogether | kEffort | kOutdoors},
    {"跳舞", "dance", 0, kNotHabit, kTogether, kPlayPlace},
    {"休息", "rest", 0, kNotHabit, 0, kRestPlace},
    {"散步", "take a walk", 0, kMostAspects, kTogether | kOutdoors, kPlayPlace},
    {"聊天", "chat", 0, kNotHabit, kTogether, kMealPlace | kWaitPlace},
    {"做饭", "cook", 0, kNotHabit, kForSomeone | kEffort, kCookPlace},
};

constexpr Verb kStativeVerbs[] = {
    {"喜欢", "like", kReadable | kWatchable | kSong | kMusic | kWearable | kPerson | kAnimal,
     kHabit},
    {"认识", "know", kPerson, kHabit, kNotFamily},
    {"需要", "need", kGoods | kPortable, kHabit},
    {"爱", "love", kPerson, kHabit},
    {"相信", "believe", kPerson, kHabit},
    {"想念", "miss", kPerson, kHabit},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }
std::span<const Verb> intransitives() { return kIntransitives; }
std::span<const Verb> stative_verbs() { return kStativeVerbs; }

}  // namespace eatt::builtin::zh_en
