#include <algorithm>

#include "base/error.h"
#include "text/builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr Noun kPeople[] = {
    {"老师", "位", "teacher", kPerson},       {"学生", "个", "student", kPerson},
    {"医生", "位", "doctor", kPerson},        {"孩子", "个", "child", kPerson},
    {"朋友", "个", "friend", kPerson},        {"工人", "名", "worker", kPerson},
    {"女孩", "个", "girl", kPerson},          {"男孩", "个", "boy", kPerson},
    {"警察", "名", "police officer", kPerson}, {"司机", "名", "driver", kPerson},
    {"记者", "名", "journalist", kPerson},    {"农民", "个", "farmer", kPerson},
    {"作家", "位", "writer", kPerson},        {"工程师", "位", "engineer", kPerson},
    {"科学家", "位", "scientist", kPerson},   {"律师", "位", "lawyer", kPerson},
    {"护士", "名", "nurse", kPerson},         {"经理", "位", "manager", kPerson},
    {"艺术家", "位", "artist", kPerson},      {"邻居", "个", "neighbor", kPerson},
    {"女人", "个", "woman", kPerson},         {"男人", "个", "man", kPerson},
    {"演员", "名", "actor", kPerson},         {"客人", "位", "guest", kPerson},
};

constexpr Noun kKin[] = {
    {"妈妈", "", "mother", kPerson},         {"爸爸", "", "father", kPerson},
    {"哥哥", "", "older brother", kPerson},  {"妹妹", "", "younger sister", kPerson},
    {"姐姐", "", "older sister", kPerson},   {"弟弟", "", "younger brother", kPerson},
    {"女儿", "", "daughter", kPerson},       {"儿子", "", "son", kPerson},
    {"爷爷", "", "grandfather", kPerson},    {"奶奶", "", "grandmother", kPerson},
};

constexpr Name kFirstNames[] = {{"小明", "Xiaoming"}, {"玛丽", "Mary"}, {"汤姆", "Tom"},
                                {"小红", "Xiaohong"}, {"安娜", "Anna"}, {"约翰", "John"}};
constexpr Name kSurnames[] = {{"王", "Wang"}, {"李", "Li"}, {"张", "Zhang"}, {"陈", "Chen"}};
constexpr Name kTitles[] = {{"先生", "Mr."}, {"女士", "Ms."}, {"教授", "Professor"}};

constexpr uint32_t kBeast = kAnimal | kDrawable;
constexpr Noun kAnimals[] = {
    {"狗", "只", "dog", kBeast},      {"猫", "只", "cat", kBeast},
    {"鸟", "只", "bird", kBeast},     {"马", "匹", "horse", kBeast},
    {"鱼", "条", "fish", kBeast},     {"羊", "只", "sheep", kBeast},
    {"牛", "头", "cow", kBeast},      {"大象", "头", "elephant", kBeast},
    {"老鼠", "只", "mouse", kBeast},  {"兔子", "只", "rabbit", kBeast},
    {"猴子", "只", "monkey", kBeast},
};

constexpr uint32_t kPrinted = kReadable | kGoods | kBorrowed | kPortable;
constexpr uint32_t kText = kReadable | kWritable;
constexpr uint32_t kClothing = kGoods | kWearable | kColoured | kPortable;
constexpr uint32_t kFurniture = kGoods | kBulky | kColoured;
constexpr Noun kThings[] = {
    {"书", "本", "book", kPrinted},
    {"小说", "本", "novel", kPrinted | kText | kTopic},
    {"信", "封", "letter", kText | kPortable},
    {"报纸", "份", "newspaper", kReadable | kGoods | kPortable},
    {"报告", "份", "report", kText | kTask | kTopic},
    {"文章", "篇", "article", kText | kTopic},
    {"故事", "个", "story", kText},
    {"杂志", "本", "magazine", kPrinted},
    {"诗", "首", "poem", kText},
    {"词典", "本", "dictionary", kGoods | kBorrowed | kPortable},
    {"电影", "部", "movie", kWatchable | kTopic},
    {"节目", "个", "program", kWatchable},
    {"比赛", "场", "match", kWatchable},
    {"歌", "首", "song", kSong},
    {"照片", "张", "photo", kPhoto | kPortable},
    {"苹果", "个", "apple", kFood},
    {"鸡蛋", "个", "egg", kFood},
    {"橘子", "个", "orange", kFood},
    {"土豆", "个", "potato", kFood},
    {"米饭", "碗", "rice", kFood, "bowl"},
    {"面条", "碗", "noodles", kFood, "bowl"},
    {"面包", "块", "bread", kFood, "piece"},
    {"蛋糕", "块", "cake", kFood, "piece"},
    {"茶", "杯", "tea", kDrink, "cup"},
    {"咖啡", "杯", "coffee", kDrink, "cup"},
    {"水", "瓶", "water", kDrink, "bottle"},
    {"牛奶", "瓶", "milk", kDrink, "bottle"},
    {"啤酒", "瓶", "beer", kDrink, "bottle"},
    {"早饭", "", "breakfast", kMeal},
    {"午饭", "", "lunch", kMeal},
    {"晚饭", "", "dinner", kMeal},
    {"自行车", "辆", "bicycle", kGoods | kMachine | kBorrowed | kColoured},
    {"汽车", "辆", "car", kGoods | kMachine | kColoured | kBulky},
    {"手机", "部", "phone", kGoods | kMachine | kPortable | kFragile},
    {"电脑", "台", "computer", kGoods | kMachine | kBulky},
    {"相机", "台", "camera", kGoods | kMachine | kPortable | kBorrowed | kFragile},
    {"机器", "台", "machine", kMachine | kBulky},
    {"手表", "块", "watch", kGoods | kMachine | kPortable},
    {"衬衫", "件", "shirt", kClothing},
    {"外套", "件", "coat", kClothing},
    {"裙子", "条", "skirt", kClothing},
    {"帽子", "顶", "hat", kClothing},
    {"鞋子", "双", "shoes", kGoods | kWearable | kColoured, "pair"},
    {"桌子", "张", "table", kFurniture},
    {"椅子", "把", "chair", kFurniture},
    {"床", "张", "bed", kFurniture},
    {"箱子", "个", "suitcase", kFurniture | kOpenable},
    {"盒子", "个", "box", kBulky | kColoured | kOpenable | kPortable},
    {"门", "扇", "door", kOpenable | kColoured},
    {"窗户", "扇", "window", kOpenable | kFragile},
    {"杯子", "个", "glass", kGoods | kFragile | kPortable},
    {"灯", "盏", "lamp", kGoods | kFragile},
    {"钥匙", "把", "key", kPortable},
    {"伞", "把", "umbrella", kGoods | kPortable | kBorrowed | kColoured},
    {"刀", "把", "knife", kGoods | kPortable},
    {"钱包", "个", "wallet", kGoods | kPortable | kColoured},
    {"票", "张", "ticket", kPortable},
    {"花", "朵", "flower", kPlant | kDrawable | kColoured},
    {"树", "棵", "tree", kPlant | kDrawable},
    {"房子", "栋", "house", kBuilding | kDrawable},
    {"桥", "座", "bridge", kBuilding | kDrawable},
    {"钢琴", "架", "piano", kInstrument},
    {"吉他", "把", "guitar", kInstrument},
    {"数学", "", "math", kSubject},
    {"历史", "", "history", kSubject},
    {"音乐", "", "music", kSubject | kMusic},
    {"英语", "", "English", kSubject | kLanguage},
    {"中文", "", "Chinese", kSubject | kLanguage},
    {"法语", "", "French", kSubject | kLanguage},
    {"足球", "", "football", kFootball},
    {"篮球", "", "basketball", kBasketball},
    {"问题", "个", "problem", kTopic | kProblem},
    {"计划", "个", "plan", kTopic},
    {"任务", "个", "task", kTask},
    {"会议", "个", "meeting", kOccasion},
    {"婚礼", "场", "wedding", kOccasion},
    {"聚会", "个", "party", kOccasion},
};

constexpr Noun kPlaces[] = {
    {"学校", "所", "school", kPlayPlace | kWorkPlace | kVisitPlace | kTown},
    {"公园", "个", "park", kPlayPlace | kWaitPlace | kTown},
    {"图书馆", "座", "library", kStudyPlace | kWorkPlace | kTown},
    {"医院", "家", "hospital", kWorkPlace | kWaitPlace | kTown},
    {"商店", "家", "shop", kShopPlace | kWorkPlace | kTown},
    {"办公室", "间", "office", kStudyPlace | kRoom | kWaitPlace},
    {"饭店", "家", "restaurant", kMealPlace | kWorkPlace | kTown},
    {"超市", "家", "supermarket", kShopPlace | kWorkPlace | kTown},
    {"教室", "间", "classroom", kStudyPlace | kRoom},
    {"博物馆", "座", "museum", kVisitPlace | kWorkPlace | kTown},
    {"工厂", "家", "factory", kVisitPlace | kWorkPlace | kTown},
    {"花园", "个", "garden", kPlayPlace | kMealPlace | kStudyPlace},
    {"银行", "家", "bank", kWorkPlace | kTown},
    {"机场", "座", "airport", kWaitPlace | kWorkPlace | kTown},
    {"车站", "个", "station", kWaitPlace | kTown},
    {"大学", "所", "university", kVisitPlace | kWorkPlace | kTown},
    {"厨房", "间", "kitchen", kMealPlace | kRoom},
    {"房间", "个", "room", kStudyPlace | kRoom},
    {"酒店", "家", "hotel", kMealPlace | kWorkPlace | kWaitPlace | kTown},
    {"书店", "家", "bookstore", kWorkPlace | kTown},
};

constexpr Name kCities[] = {{"北京", "Beijing"}, {"上海", "Shanghai"}, {"伦敦", "London"},
                            {"巴黎", "Paris"},   {"澳门", "Macau"},    {"纽约", "New York"}};
constexpr Name kCountries[] = {{"中国", "China"},
                               {"法国", "France"},
                               {"英国", "Britain"},
                               {"美国", "the United States"},
                               {"日本", "Japan"}};

}  // namespace

std::span<const Noun> people() { return kPeople; }
std::span<const Noun> kin() { return kKin; }
std::span<const Name> first_names() { return kFirstNames; }
std::span<const Name> surnames() { return kSurnames; }
std::span<const Name> titles() { return kTitles; }
std::span<const Noun> animals() { return kAnimals; }
std::span<const Noun> things() { return kThings; }
std::span<const Noun> places() { return kPlaces; }

const Noun& thing_called(std::string_view chinese) {
  const auto* found = std::ranges::find(kThings, chinese, &Noun::chinese);
  expects(found != std::end(kThings), "the lexicon has this thing");
  return *found;
}
std::span<const Name> cities() { return kCities; }
std::span<const Name> countries() { return kCountries; }

}  // namespace eatt::builtin::zh_en
