#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

std::vector<std::pair<std::string, uint64_t>> listed(const std::vector<WordCounts::Word>& words) {
  std::vector<std::pair<std::string, uint64_t>> list;
  for (const auto& word : words) list.emplace_back(word.text, word.count);
  return list;
}

TEST(WordCounts, WordsAreWhatStandsBetweenSpaces) {
  WordCounts words;
  words.add("the dog  the\tcat the");
  words.add("  dog ");
  words.add("");
  EXPECT_EQ(words.lines(), 3u);
  using Entry = std::pair<std::string, uint64_t>;
  EXPECT_THAT(listed(words.most_frequent(1000, false)),
              ::testing::ElementsAre(Entry("the", 3), Entry("dog", 2), Entry("cat", 1)));
}

TEST(WordCounts, TheRarestWordsAreLeftOutBeyondTheLimit) {
  WordCounts words;
  words.add("aaa aaa aaa bbb bbb ccc");
  EXPECT_EQ(words.most_frequent(12, false).size(), 3u);
  EXPECT_EQ(words.most_frequent(11, false).size(), 2u);  // Three letters and a space each.
  EXPECT_EQ(words.most_frequent(0, false).size(), 0u);
}

TEST(WordCounts, AWordForEachCharacterIsKeptWhenAskedFor) {
  WordCounts words;
  words.add("aaa aaa aaa aab aab q qa");
  const auto kept = listed(words.most_frequent(4, true));
  ASSERT_EQ(kept.size(), 3u);  // aaa for its count, aab for b, one of the last two for q.
  EXPECT_EQ(kept[1].first, "aab");
  EXPECT_THAT(kept[2].first, ::testing::HasSubstr("q"));
}

TEST(WordCounts, MemoryStaysBoundedAndFrequentWordsStay) {
  constexpr size_t kMaxBytes = 100'000;
  WordCounts words(kMaxBytes);
  for (int i = 0; i < 100'000; ++i) words.add("often " + std::to_string(i));
  const auto kept = words.most_frequent(1'000'000'000, false);
  EXPECT_LT(kept.size() * 80, kMaxBytes);
  EXPECT_EQ(kept.front().text, "often");
  EXPECT_EQ(kept.front().count, 100'000u);
}

TEST(WordCounts, OfEquallyRareSentencesARandomPartIsKept) {
  WordCounts words(100'000);
  constexpr int kSentences = 20'000;
  for (int i = 0; i < kSentences; ++i) words.add("句子" + std::to_string(i));
  // Not only the first or the last: both halves are present about equally.
  int first_half = 0, second_half = 0;
  for (const auto& word : words.most_frequent(3'000, false)) {
    const int number = std::stoi(std::string(word.text.substr(6)));
    ++(number < kSentences / 2 ? first_half : second_half);
  }
  EXPECT_NEAR(first_half, second_half, 100);  // Some 350 in all; 5 standard deviations.
  EXPECT_GT(first_half + second_half, 300);
}

}  // namespace
}  // namespace eatt
