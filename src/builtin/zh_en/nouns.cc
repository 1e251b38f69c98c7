#include <algorithm>

#include "base/error.h"
#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr Noun kPeople[] = {
    {"老师", "位", "teacher", kPerson | kJob},
    {"学生", "个", "student", kPerson | kJob | kYoung},
    {"医生", "位", "doctor", kPerson | kJob},
    {"孩子", "个", "child", kPerson | kYoung},
    {"工人", "名", "worker", kPerson | kJob},
    {"女孩", "个", "girl", kPerson | kYoung},
    {"男孩", "个", "boy", kPerson | kYoung},
    {"警察", "名", "police officer", kPerson | kJob},
    {"司机", "名", "driver", kPerson | kJob},
    {"记者", "名", "journalist", kPerson | kJob},
    {"农民", "个", "farmer", kPerson | kJob},
    {"作家", "位", "writer", kPerson | kJob | kRenowned},
    {"工程师", "位", "engineer", kPerson | kJob},
    {"科学家", "位", "scientist", kPerson | kJob | kRenowned},
    {"律师", "位", "lawyer", kPerson | kJob | kRenowned},
    {"护士", "名", "nurse", kPerson | kJob},
    {"经理", "位", "manager", kPerson | kJob},
    {"艺术家", "位", "artist", kPerson | kJob | kRenowned},
    {"女人", "个", "woman", kPerson},
    {"男人", "个", "man", kPerson},
    {"演员", "名", "actor", kPerson | kJob | kRenowned},
};

constexpr Noun kKin[] = {
    {"妈妈", "", "mother", kPerson | kFamily},
    {"爸爸", "", "father", kPerson | kFamily},
    {"哥哥", "", "older brother", kPerson | kFamily},
    {"妹妹", "", "younger sister", kPerson | kFamily | kYoung},
    {"姐姐", "", "older sister", kPerson | kFamily},
    {"弟弟", "", "younger brother", kPerson | kFamily | kYoung},
    {"女儿", "", "daughter", kPerson | kFamily | kYoung},
    {"儿子", "", "son", kPerson | kFamily | kYoung},
    {"爷爷", "", "grandfather", kPerson | kFamily},
    {"奶奶", "", "grandmother", kPerson | kFamily},
};

constexpr Noun kAcquaintances[] = {{"朋友", "个", "friend", kPerson},
                                   {"邻居", "个", "neighbor", kPerson},
                                   {"同学", "个", "classmate", kPerson},
                                   {"同事", "个", "colleague", kPerson}};

constexpr Name kFirstNames[] = {{"小明", "Xiaoming"}, {"玛丽", "Mary"}, {"汤姆", "Tom"},
                                {"小红", "Xiaohong"}, {"安娜", "Anna"}, {"约翰", "John"}};
constexpr Name kSurnames[] = {{"王", "Wang"}, {"李", "Li"}, {"张", "Zhang"}, {"陈", "Chen"}};
constexpr Name kTitles[] = {{"先生", "Mr."}, {"女士", "Ms."}, {"教授", "Professor"}};

constexpr Kinds kBeast = kAnimal | kDrawable;
constexpr Noun kAnimals[] = {
    {"狗", "只", "dog", kBeast | kPet},
    {"猫", "只", "cat", kBeast | kPet},
    {"鸟", "只", "bird", kBeast | kPet},
    {"马", "匹", "horse", kBeast | kPet},
    {"鱼", "条", "fish", kBeast},
    {"羊", "只", "sheep", kBeast},
    {"猴子", "只", "monkey", kBeast},
    {"牛", "头", "cow", kBeast},
    {"大象", "头", "elephant", kBeast},
    {"老鼠", "只", "mouse", kBeast},
    {"兔子", "只", "rabbit", kBeast | kPet},
};

constexpr Kinds kPrinted = kReadable | kGoods | kBorrowed | kPortable | kGift;
constexpr Kinds kText = kReadable | kWritable;
constexpr Kinds kClothing = kGoods | kWearable | kColoured | kPortable | kGift | kPretty;
constexpr Kinds kFurniture = kGoods | kBulky | kColoured;
constexpr Noun kThings[] = {
    {"书", "本", "book", kPrinted},
    {"钥匙", "把", "key", kPortable},
    {"小说", "本", "novel", kPrinted | kText | kTopic | kRenowned},
    {"信", "封", "letter", kText | kPortable},
    {"报纸", "份", "newspaper", kReadable | kGoods | kPortable},
    {"报告", "份", "report", kText | kTask | kTopic | kSerious},
    {"文章", "篇", "article", kText | kTopic | kSerious},
    {"故事", "个", "story", kText},
    {"杂志", "本", "magazine", kPrinted},
    {"词典", "本", "dictionary", kGoods | kBorrowed | kPortable | kGift},
    {"电影", "部", "movie", kWatchable | kTopic | kRenowned},
    {"节目", "个", "program", kWatchable},
    {"比赛", "场", "match", kWatchable},
    {"歌", "首", "song", kSong | kRenowned},
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
    {"手机", "部", "phone", kGoods | kMachine | kPortable | kGift},
    {"电脑", "台", "computer", kGoods | kMachine | kBulky},
    {"相机", "台", "camera", kGoods | kMachine | kPortable | kBorrowed | kGift},
    {"手表", "块", "watch", kGoods | kMachine | kPortable | kGift},
    {"衬衫", "件", "shirt", kClothing},
    {"外套", "件", "coat", kClothing},
    {"毛衣", "件", "sweater", kClothing},
    {"帽子", "顶", "hat", kGoods | kColoured | kPortable | kGift},
    {"鞋子", "双", "shoes", kGoods | kWearable | kColoured | kPretty, "pair"},
    {"桌子", "张", "table", kFurniture},
    {"椅子", "把", "chair", kFurniture},
    {"床", "张", "bed", kFurniture},
    {"箱子", "个", "suitcase", kFurniture | kOpenable},
    {"盒子", "个", "box", kBulky | kColoured | kOpenable | kPortable},
    {"门", "扇", "door", kOpenable},
    {"窗户", "扇", "window", kOpenable | kFragile},
    {"杯子", "个", "glass", kGoods | kFragile | kPortable | kGift},
    {"伞", "把", "umbrella", kGoods | kPortable | kBorrowed | kColoured | kGift},
    {"刀", "把", "knife", kGoods | kPortable},
    {"花", "朵", "flower", kGoods | kDrawable | kColoured | kGift | kPretty},
    {"树", "棵", "tree", kPlant | kDrawable | kPretty},
    {"房子", "栋", "house", kBuilding | kDrawable | kPretty},
    {"桥", "座", "bridge", kBuilding | kDrawable | kPretty | kRenowned},
    {"钢琴", "架", "piano", kInstrument},
    {"吉他", "把", "guitar", kInstrument},
    {"数学", "", "math", kSubject},
    {"历史", "", "history", kSubject},
    {"音乐", "", "music", kSubject | kMusic},
    {"英语", "", "English", kSubject},
    {"中文", "", "Chinese", kSubject},
    {"法语", "", "French", kSubject},
    {"足球", "", "football", kFootball},
    {"篮球", "", "basketball", kBasketball},
    {"问题", "个", "problem", kTopic | kProblem | kSerious},
    {"计划", "个", "plan", kTopic | kSerious},
    {"任务", "个", "task", kTask | kSerious},
    {"会议", "个", "meeting", kOccasion | kSerious},
    {"婚礼", "场", "wedding", kOccasion},
    {"聚会", "个", "party", kOccasion},
};

constexpr Noun kPlaces[] = {
    {"学校", "所", "school", kPlayPlace | kWorkPlace | kVisitPlace | kTown | kAt},
    {"公园", "个", "park", kPlayPlace | kWaitPlace | kTown},
    {"图书馆", "座", "library", kStudyPlace | kWorkPlace | kTown},
    {"医院", "家", "hospital", kWorkPlace | kWaitPlace | kTown | kAt},
    {"商店", "家", "shop", kShopPlace | kWorkPlace | kTown},
    {"办公室", "间", "office", kStudyPlace | kRoom | kWaitPlace},
    {"饭店", "家", "restaurant", kMealPlace | kWorkPlace | kTown},
    {"超市", "家", "supermarket", kShopPlace | kWorkPlace | kTown | kAt},
    {"教室", "间", "classroom", kStudyPlace | kRoom},
    {"博物馆", "座", "museum", kVisitPlace | kWorkPlace | kTown},
    {"工厂", "家", "factory", kVisitPlace | kWorkPlace | kTown | kAt},
    {"花园", "个", "garden", kPlayPlace | kMealPlace | kRestPlace},
    {"银行", "家", "bank", kWorkPlace | kTown | kAt},
    {"机场", "个", "airport", kWaitPlace | kWorkPlace | kTown | kAt},
    {"车站", "个", "station", kWaitPlace | kTown | kAt},
    {"大学", "所", "university", kVisitPlace | kWorkPlace | kTown | kAt},
    {"厨房", "间", "kitchen", kMealPlace | kCookPlace | kRoom},
    {"房间", "个", "room", kStudyPlace | kRestPlace | kRoom},
    {"酒店", "家", "hotel", kMealPlace | kWorkPlace | kWaitPlace | kRestPlace | kTown | kAt},
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
std::span<const Noun> acquaintances() { return kAcquaintances; }
std::span<const Name> first_names() { return kFirstNames; }
std::span<const Name> surnames() { return kSurnames; }
std::span<const Name> titles() { return kTitles; }
std::span<const Noun> animals() { return kAnimals; }
std::span<const Noun> things() { return kThings; }
std::span<const Noun> places() { return kPlaces; }

std::span<const Name> cities() { return kCities; }
std::span<const Name> countries() { return kCountries; }

const Noun& called(std::span<const Noun> nouns, std::string_view chinese) {
  const auto found = std::ranges::find(nouns, chinese, &Noun::chinese);
  expects(found != nouns.end(), "the lexicon has this noun");
  return *found;
}

}  // namespace eatt::builtin::zh_en
