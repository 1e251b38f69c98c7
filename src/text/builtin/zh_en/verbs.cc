#include "text/builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr uint32_t kOnce = kPast | kFuture | kPerfect | kModal | kImperative;

constexpr Verb kVerbs[] = {
    {"买", "buy", kGoods, kOnce, kForSomeone, kShopPlace},
    {"读", "read", kReadable, kAllAspects, kCarefully, kStudyPlace},
    {"写", "write", kWritable, kAllAspects, kMemorable | kByComputer, kStudyPlace},
    {"吃", "eat", kFood, kAllAspects, kTogether, kMealPlace},
    {"看", "watch", kWatchable, kAllAspects, kTogether},
    {"喝", "drink", kDrink, kAllAspects, kTogether, kMealPlace},
    {"帮助", "help", kPerson, kPast | kFuture | kHabit | kModal | kImperative},
    {"买", "buy", kFood | kDrink, kOnce | kHabit, kForSomeone, kShopPlace},
    {"学习", "study", kSubject, kAllAspects, kMemorable | kTogether, kStudyPlace},
    {"参观", "visit", kVisitPlace, kOnce, kMemorable | kTogether | kBareObject | kPlaceObject},
    {"吃", "eat", kMeal, kMostAspects, kTogether, kMealPlace},
    {"遇到", "meet", kPerson, kPast | kPerfect, kMemorable, kWaitPlace | kWorkPlace | kPlayPlace},
    {"借", "borrow", kBorrowed, kOnce, kFromLibrary},
    {"打扫", "clean", kRoom, kAllAspects, kBareObject | kPlaceObject},
    {"修理", "repair", kMachine, kAllAspects, kForSomeone | kDefinite},
    {"准备", "prepare", kMeal, kMostAspects | kImperative, kForSomeone, kMealPlace},
    {"找到", "find", kPortable, kPast | kPerfect | kFuture, kDefinite},
    {"讨论", "discuss", kTopic, kAllAspects, kTogether | kDefinite, kWorkPlace | kStudyPlace},
    {"听", "listen to", kSong | kMusic, kAllAspects, kTogether, kPlayPlace | kStudyPlace},
    {"洗", "wash", kWearable, kAllAspects, kDefinite | kForSomeone},
    {"参加", "attend", kOccasion, kOnce, kMemorable | kTogether},
    {"画", "draw", kDrawable, kAllAspects, kForSomeone | kCarefully, kPlayPlace},
    {"采访", "interview", kPerson, kOnce | kProgressive, kMemorable, kWorkPlace},
    {"等", "wait for", kPerson, kProgressive | kFuture | kModal | kHabit, 0, kWaitPlace},
    {"打开", "open", kOpenable, kPast | kPerfect | kModal | kImperative, kBareObject},
    {"照顾", "take care of", kPerson, kProgressive | kFuture | kHabit | kModal | kImperative},
    {"丢", "lose", kPortable, kPast | kPerfect, kDefinite},
    {"邀请", "invite", kPerson, kOnce},
    {"踢", "play", kFootball, kMostAspects, kTogether, kPlayPlace},
    {"翻译", "translate", kWritable, kAllAspects, kCarefully | kForSomeone | kMemorable, kStudyPlace},
    {"种", "plant", kPlant, kOnce | kProgressive, kMemorable | kForSomeone, kPlayPlace},
    {"完成", "finish", kTask, kPast | kPerfect | kFuture | kModal | kImperative, kDefinite},
    {"打", "play", kBasketball, kMostAspects, kTogether, kPlayPlace},
    {"弹", "play", kInstrument, kMostAspects | kImperative, kBareObject | kForSomeone},
    {"唱", "sing", kSong, kAllAspects, kForSomeone | kTogether, kPlayPlace},
    {"关上", "close", kOpenable, kPast | kPerfect | kModal | kImperative, kBareObject},
    {"表扬", "praise", kPerson, kPast | kHabit | kModal},
    {"拍", "take", kPhoto, kAllAspects, kByCamera, kPlayPlace | kVisitPlace},
    {"解决", "solve", kProblem, kPast | kPerfect | kFuture | kModal | kImperative, kDefinite | kMemorable},
    {"喂", "feed", kAnimal, kAllAspects, kDefinite},
    {"建", "build", kBuilding, kPast | kFuture | kProgressive | kModal, kMemorable},
    {"设计", "design", kBuilding, kAllAspects, kMemorable | kForSomeone},
    {"批评", "criticize", kPerson, kPast | kHabit | kModal},
};

constexpr uint32_t kActivity = kMostAspects;
constexpr Verb kIntransitives[] = {
    {"工作", "work", 0, kActivity, kTogether, kWorkPlace},
    {"睡觉", "sleep", 0, kActivity, 0, kRoom},
    {"跑步", "run", 0, kActivity, kTogether, kPlayPlace},
    {"游泳", "swim", 0, kActivity, kTogether},
    {"跳舞", "dance", 0, kActivity, kTogether, kPlayPlace},
    {"休息", "rest", 0, kActivity, 0, kRoom | kPlayPlace},
    {"散步", "take a walk", 0, kActivity, kTogether, kPlayPlace},
    {"聊天", "chat", 0, kActivity, kTogether, kMealPlace | kWaitPlace},
    {"做饭", "cook", 0, kActivity, kTogether | kForSomeone, 0},
    {"哭", "cry", 0, kPast | kProgressive, 0, kRoom | kPlayPlace},
};

constexpr Verb kStativeVerbs[] = {
    {"喜欢", "like", kReadable | kWatchable | kSong | kMusic | kWearable | kPerson | kAnimal, kHabit},
    {"认识", "know", kPerson, kHabit},
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
