// Properties of the Chinese-English grammar, checked on large samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "builtin/generate.h"
#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

#ifdef NDEBUG
constexpr int kManySentences = 300'000;
constexpr int kSentences = 20'000;
#else
constexpr int kManySentences = 60'000;  // Sanitizers make it twenty times slower.
constexpr int kSentences = 5'000;
#endif
constexpr int kTrainingSet = 20'000;

template <typename Visit>
void for_sentences(int count, const Visit& visit) {
  const LanguagePair& zh_en = find_language_pair("zh-en");
  Random random(7);
  for (int i = 0; i < count; ++i) {
    Composer composer(random);
    visit(finish(zh_en.sentence(composer)));
  }
}

std::vector<SentencePair> sample(int count = kSentences) {
  std::vector<SentencePair> pairs;
  for_sentences(count, [&](SentencePair pair) { pairs.push_back(std::move(pair)); });
  return pairs;
}

std::string text(const std::vector<std::string>& words) { return join(words, Spacing::words); }

bool is_in(const std::set<std::string_view>& set, std::string_view word) {
  return set.contains(word);
}

std::string lower(std::string word) {
  if (word[0] >= 'A' && word[0] <= 'Z') word[0] = static_cast<char>(word[0] - 'A' + 'a');
  return word;
}

std::vector<zh_en::Noun> all_nouns() {
  std::vector<zh_en::Noun> nouns;
  for (const auto list : {zh_en::people(), zh_en::kin(), zh_en::acquaintances(), zh_en::animals(),
                          zh_en::things(), zh_en::places()}) {
    nouns.insert(nouns.end(), list.begin(), list.end());
  }
  return nouns;
}

std::set<std::string_view> measure_words() {
  std::set<std::string_view> words;
  for (const zh_en::Noun& noun : all_nouns()) words.insert(noun.measure);
  words.erase("");
  return words;
}

TEST(ZhEn, ASourceHasExactlyOneTranslationWithAndWithoutSpaces) {
  std::unordered_map<std::string, std::string> translations;
  int drawn = 0;
  for_sentences(kManySentences, [&](const SentencePair& pair) {
    if (++drawn == 60'000) {
      EXPECT_GT(translations.size(), 54'000u) << "the grammar repeats itself";
    }
    const std::string source = join(pair.source, Spacing::none);
    const std::string target = text(pair.target);
    const auto [known, is_new] = translations.emplace(source, target);
    EXPECT_TRUE(is_new || known->second == target) << source << "\n"
                                                   << known->second << "\n"
                                                   << target;
  });
  // Repeats grow with the number drawn; hundreds of thousands of sentences are different.
  if (kManySentences >= 300'000) {
    EXPECT_GT(translations.size(), 200'000u);
  }
}

TEST(ZhEn, LinksAreInRangeSortedAndEachOnce) {
  for (const SentencePair& pair : sample()) {
    EXPECT_THAT(pair.links, Not(IsEmpty()));
    EXPECT_TRUE(std::ranges::is_sorted(pair.links));
    EXPECT_EQ(std::ranges::adjacent_find(pair.links), pair.links.end());
    for (const Link& link : pair.links) {
      EXPECT_LT(static_cast<size_t>(link.source), pair.source.size());
      EXPECT_LT(static_cast<size_t>(link.target), pair.target.size());
    }
  }
}

TEST(ZhEn, OnlyFunctionWordsAreWithoutALink) {
  std::set<std::string_view> chinese = measure_words();
  chinese.insert({"了", "的", "吗", "，", "所以", "就", "但是", "是", "地", "一边", "啊", "把"});
  const std::set<std::string_view> english = {"the",  "a",   "an", "is",   "are", "am", "was",
                                              "were", "to",  "it", "at",   "in",  "on", "for",
                                              "that", "did", "do", "does", ",",   "go"};
  for (const SentencePair& pair : sample()) {
    std::set<int> linked_source, linked_target;
    for (const Link& link : pair.links) {
      linked_source.insert(link.source);
      linked_target.insert(link.target);
    }
    for (size_t i = 0; i < pair.source.size(); ++i) {
      EXPECT_TRUE(linked_source.contains(static_cast<int>(i)) || is_in(chinese, pair.source[i]))
          << pair.source[i] << " in " << text(pair.source);
    }
    for (size_t j = 0; j < pair.target.size(); ++j) {
      EXPECT_TRUE(linked_target.contains(static_cast<int>(j)) ||
                  is_in(english, lower(pair.target[j])))
          << pair.target[j] << " in " << text(pair.target);
    }
  }
}

TEST(ZhEn, SentencesAreWellFormedOnBothSides) {
  const std::map<std::string, std::string> marks = {{"。", "."}, {"？", "?"}, {"！", "!"}};
  for (const SentencePair& pair : sample()) {
    ASSERT_TRUE(marks.contains(pair.source.back())) << text(pair.source);
    EXPECT_EQ(pair.target.back(), marks.at(pair.source.back())) << text(pair.target);
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(pair.target[0][0]))) << text(pair.target);
    for (const std::string& word : pair.source) {
      const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
      const bool wide = std::ranges::all_of(word, [](char c) { return (c & 0x80) != 0; });
      EXPECT_TRUE(!word.empty() && (digits || wide)) << word;
    }
    for (const std::string& word : pair.target) {
      EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return c > ' ' && c < 0x7f; })) << word;
    }
  }
}

TEST(ZhEn, LengthsAreThoseOfShortRealSentences) {
  uint64_t source_words = 0, target_words = 0;
  const auto pairs = sample();
  for (const SentencePair& pair : pairs) {
    source_words += pair.source.size();
    target_words += pair.target.size();
    EXPECT_GE(pair.source.size(), 4u);
    EXPECT_LE(pair.source.size(), 32u);
  }
  const auto count = static_cast<double>(pairs.size());
  EXPECT_NEAR(static_cast<double>(source_words) / count, 10, 1);
  EXPECT_NEAR(static_cast<double>(target_words) / count, 10, 1);
}

std::map<std::string, int> counts(const std::vector<SentencePair>& pairs,
                                  std::vector<std::string> SentencePair::*side) {
  std::map<std::string, int> result;
  for (const SentencePair& pair : pairs) {
    for (const std::string& word : pair.*side) ++result[word];
  }
  return result;
}

TEST(ZhEn, VocabulariesHaveSeveralHundredWordsAndNearlyAllAreLearnable) {
  const auto pairs = sample(kTrainingSet);
  for (const auto side : {&SentencePair::source, &SentencePair::target}) {
    const auto words = counts(pairs, side);
    EXPECT_GE(words.size(), 450u);
    EXPECT_LE(words.size(), 760u);
    const auto rare = std::ranges::count_if(words, [](const auto& w) { return w.second < 20; });
    EXPECT_LE(rare, static_cast<int>(words.size()) / 15);
    for (const auto& [word, count] : words) EXPECT_GE(count, 5) << word;
  }
}

TEST(ZhEn, EveryWordOfTheLexiconIsUsed) {
  const auto pairs = sample();
  const auto chinese = counts(pairs, &SentencePair::source);
  for (const zh_en::Noun& noun : all_nouns()) {
    EXPECT_TRUE(chinese.contains(std::string(noun.chinese))) << noun.chinese;
  }
  for (const auto list : {zh_en::verbs(), zh_en::intransitives(), zh_en::stative_verbs()}) {
    for (const zh_en::Verb& verb : list) {
      EXPECT_TRUE(chinese.contains(std::string(verb.chinese))) << verb.chinese;
    }
  }
  for (const auto list : {zh_en::thing_adjectives(), zh_en::place_adjectives(), zh_en::traits(),
                          zh_en::moods(), zh_en::weather_adjectives()}) {
    for (const zh_en::Adjective& word : list) {
      EXPECT_TRUE(chinese.contains(std::string(word.chinese))) << word.chinese;
    }
  }
}

TEST(ZhEn, MeasureWordsFitTheirNouns) {
  std::map<std::string_view, std::string_view> measure_of;
  for (const zh_en::Noun& noun : all_nouns()) measure_of[noun.chinese] = noun.measure;
  std::set<std::string_view> adjectives;
  for (const auto list : {zh_en::thing_adjectives(), zh_en::place_adjectives(), zh_en::traits()}) {
    for (const zh_en::Adjective& word : list) adjectives.insert(word.chinese);
  }
  const std::set<std::string_view> measures = measure_words();
  const std::set<std::string_view> counters = {"一", "两", "三", "四", "五", "六", "七",
                                               "八", "九", "十", "这", "那", "哪", "多少"};
  int checked = 0;
  for (const SentencePair& pair : sample()) {
    const auto& words = pair.source;
    for (size_t i = 2; i < words.size(); ++i) {
      if (!measure_of.contains(words[i])) continue;
      size_t before = i - 1;
      if (words[before] == "的" && before > 0 && is_in(adjectives, words[before - 1])) --before;
      if (is_in(adjectives, words[before]) && before > 0) --before;
      if (before == 0 || !is_in(measures, words[before])) continue;
      if (!is_in(counters, words[before - 1])) continue;
      EXPECT_EQ(words[before], measure_of[words[i]]) << text(words);
      ++checked;
    }
  }
  EXPECT_GT(checked, kSentences / 4);
}

TEST(ZhEn, TimeStandsInFrontInChineseAndAtTheEndInEnglish) {
  int moved = 0;
  for (const SentencePair& pair : sample()) {
    const auto& target = pair.target;
    if (pair.source[0] != "大约" || target[0] == "Around") continue;
    EXPECT_THAT(target, Contains("around"));
    EXPECT_EQ(target[target.size() - 2], "ago") << text(target);
    ++moved;
  }
  EXPECT_GT(moved, kSentences / 500);
}

TEST(ZhEn, ArticlesFitTheNextWord) {
  const std::set<std::string_view> like_consonants = {"university"};
  const std::set<std::string_view> like_vowels = {"honest"};
  int articles = 0;
  for (const SentencePair& pair : sample()) {
    for (size_t j = 0; j + 1 < pair.target.size(); ++j) {
      const std::string article = lower(pair.target[j]);
      if (article != "a" && article != "an") continue;
      const std::string& next = pair.target[j + 1];
      const bool vowel = std::string("aeiouE").find(next[0]) != std::string::npos;
      const bool an = (vowel && !is_in(like_consonants, next)) || is_in(like_vowels, next);
      EXPECT_EQ(article, an ? "an" : "a") << text(pair.target);
      ++articles;
    }
  }
  EXPECT_GT(articles, kSentences / 20);
}

TEST(ZhEn, EnglishVerbsAgreeWithTheirSubjects) {
  std::set<std::string> bare;  // Forms that cannot follow "He".
  std::set<std::string> third;
  for (const auto list : {zh_en::verbs(), zh_en::intransitives(), zh_en::stative_verbs()}) {
    for (const zh_en::Verb& verb : list) {
      const std::string base = english::inflect(verb.english, english::Form::base);
      const std::string word = base.substr(0, base.find(' '));
      if (word != "read") bare.insert(word);  // Its past looks the same.
      third.insert(english::inflect(word, english::Form::third_person));
    }
  }
  bare.insert({"are", "am", "have", "do", "were"});
  third.insert({"is", "has", "does", "was"});
  int checked = 0;
  for (const SentencePair& pair : sample()) {
    const std::string& subject = pair.target[0];
    const std::string& next = pair.target[1];
    if (subject == "He" || subject == "She") {
      EXPECT_FALSE(bare.contains(next)) << text(pair.target);
      ++checked;
    } else if (subject == "They" || subject == "We" || subject == "You") {
      EXPECT_FALSE(third.contains(next) || next == "am") << text(pair.target);
      ++checked;
    } else if (subject == "I") {
      EXPECT_TRUE(next == "was" || !third.contains(next)) << text(pair.target);
      EXPECT_NE(next, "are") << text(pair.target);
      ++checked;
    }
  }
  EXPECT_GT(checked, kSentences / 10);
}

TEST(ZhEn, IrregularFormsAreUsedAndRegularizedOnesNever) {
  const auto words = counts(sample(kTrainingSet), &SentencePair::target);
  for (const char* form : {"children", "women", "men", "mice", "knives", "sheep", "potatoes",
                           "wrote", "written", "bought", "been", "fed", "caught", "sold"}) {
    EXPECT_TRUE(words.contains(form)) << form;
  }
  for (const char* form : {"childs", "womans", "mans", "mouses", "knifes", "sheeps", "fishs",
                           "writed", "buyed", "feeded", "catched", "selled", "goed"}) {
    EXPECT_FALSE(words.contains(form)) << form;
  }
}

TEST(ZhEn, AllKindsOfQuestionsAreAsked) {
  std::set<std::string> first_words;
  for (const SentencePair& pair : sample()) {
    if (pair.target.back() == "?") first_words.insert(pair.target[0]);
  }
  for (const char* word : {"Who", "What", "Where", "When", "Why", "How", "Which", "Whose", "Did",
                           "Do", "Does", "Is", "Are", "Has", "Have", "Will", "Can", "Should"}) {
    EXPECT_TRUE(first_words.contains(word)) << word;
  }
}

}  // namespace
}  // namespace eatt::builtin
