#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/random.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;

using Words = std::vector<std::pair<std::u32string, uint64_t>>;

std::vector<char32_t> alphabet_of(const Words& words) {
  std::set<char32_t> characters;
  for (const auto& [text, count] : words) characters.insert(text.begin(), text.end());
  return {characters.begin(), characters.end()};
}

std::vector<std::u32string> learn(const Words& words, size_t pieces) {
  const auto alphabet = alphabet_of(words);
  BpeTrainer trainer(alphabet);
  for (const auto& [text, count] : words) {
    std::vector<int32_t> ids;
    for (const char32_t character : text) {
      const auto found = std::ranges::find(alphabet, character);
      ids.push_back(character == U'?' ? BpeTrainer::kUnknown
                                      : static_cast<int32_t>(found - alphabet.begin()));
    }
    trainer.add_word(ids, count);
  }
  return trainer.learn(pieces);
}

TEST(BpeTrainer, TheMostFrequentPairIsMergedFirst) {
  EXPECT_THAT(learn({{U"▁ab", 5}, {U"▁cab", 3}, {U"▁cd", 4}}, 4),
              ElementsAre(U"ab", U"▁c", U"▁ab", U"▁cd"));
  // ab: 8; then ▁c: 3 + 4; then ▁ab: 5; then ▁cd: 4.
}

TEST(BpeTrainer, WhatOccursOnceIsNotLearnt) {
  EXPECT_THAT(learn({{U"▁ab", 1}, {U"▁cd", 2}}, 10), ElementsAre(U"cd", U"▁cd"));
}

TEST(BpeTrainer, RowsOfOneCharacterAreMergedFromTheLeft) {
  // aaab is aa + ab's a, not a + aa.
  EXPECT_THAT(learn({{U"aaab", 10}}, 3), ElementsAre(U"aa", U"ab", U"aaab"));
}

TEST(BpeTrainer, NothingIsMergedWithUnknownCharacters) {
  EXPECT_THAT(learn({{U"a?b", 9}, {U"ab", 2}}, 5), ElementsAre(U"ab"));
}

TEST(BpeTrainer, PiecesDoNotMixScriptsNorLettersWithDigitsOrPunctuation) {
  EXPECT_THAT(learn({{U"aя", 9}, {U"a1", 9}, {U"a.", 9}, {U"1.", 5}, {U"中a", 9}}, 5),
              ElementsAre(U"1."));
  EXPECT_THAT(learn({{U"中の", 9}}, 5), ElementsAre(U"中の"));
  EXPECT_THAT(learn({{U"▁.", 9}}, 5), ElementsAre(U"▁."));
}

TEST(BpeTrainer, PiecesHaveAtMostSixteenCharacters) {
  const auto pieces = learn({{std::u32string(100, U'a'), 5}}, 50);
  size_t longest = 0;
  for (const auto& piece : pieces) longest = std::max(longest, piece.size());
  EXPECT_EQ(longest, 16u);
}

TEST(BpeTrainer, ProgressIsToldAndThePiecesAreLimited) {
  Words words;
  for (char32_t c = U'a'; c <= U'z'; ++c) {
    for (char32_t d = U'a'; d <= U'z'; ++d) words.emplace_back(std::u32string{c, d}, 2);
  }
  EXPECT_EQ(learn(words, 100).size(), 100u);
}

// Counts all pairs anew before each merge: slow and simple. Symbols are numbered as they come, and
// of equally frequent pairs the shorter is taken, then the one of earlier symbols.
std::vector<std::u32string> learn_slowly(const Words& words, size_t pieces) {
  std::map<std::u32string, int> numbers;
  for (const char32_t character : alphabet_of(words)) {
    numbers.emplace(std::u32string{character}, static_cast<int>(numbers.size()));
  }
  std::vector<std::pair<std::vector<std::u32string>, uint64_t>> texts;
  for (const auto& [text, count] : words) {
    texts.emplace_back();
    for (const char32_t character : text) texts.back().first.push_back({character});
    texts.back().second = count;
  }
  std::vector<std::u32string> learnt;
  while (learnt.size() < pieces) {
    std::map<std::pair<std::u32string, std::u32string>, uint64_t> counts;
    for (const auto& [symbols, count] : texts) {
      for (size_t i = 1; i < symbols.size(); ++i) {
        counts[{symbols[i - 1], symbols[i]}] += count;
      }
    }
    const auto best = std::ranges::min_element(counts, {}, [&](const auto& entry) {
      const auto& [left, right] = entry.first;
      return std::tuple(-static_cast<int64_t>(entry.second), left.size() + right.size(),
                        numbers.at(left), numbers.at(right));
    });
    if (best == counts.end() || best->second < 2) break;
    const auto [left, right] = best->first;
    if (numbers.emplace(left + right, static_cast<int>(numbers.size())).second) {
      learnt.push_back(left + right);
    }
    for (auto& [symbols, count] : texts) {
      for (size_t i = 1; i < symbols.size(); ++i) {
        if (symbols[i - 1] != left || symbols[i] != right) continue;
        symbols[i - 1] += right;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  return learnt;
}

TEST(BpeTrainer, LearnsWhatCountingAnewBeforeEachMergeGives) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    Words words;
    for (int i = 0; i < 30; ++i) {
      std::u32string word;
      for (uint64_t left = 1 + random.below(9); left > 0; --left) {
        word += static_cast<char32_t>(U'a' + random.below(4));
      }
      words.emplace_back(word, 1 + random.below(seed < 20 ? 3 : 1'000'000));
    }
    EXPECT_EQ(learn(words, 60), learn_slowly(words, 60)) << "seed " << seed;
  }
}

TEST(Script, LettersHaveOneAndOthersAreCommon) {
  EXPECT_EQ(script_of(U'a'), Script::latin);
  EXPECT_EQ(script_of(U'ß'), Script::latin);
  EXPECT_EQ(script_of(U'ế'), Script::latin);
  EXPECT_EQ(script_of(U'ω'), Script::greek);
  EXPECT_EQ(script_of(U'ж'), Script::cyrillic);
  EXPECT_EQ(script_of(U'ש'), Script::hebrew);
  EXPECT_EQ(script_of(U'م'), Script::arabic);
  EXPECT_EQ(script_of(U'한'), Script::hangul);
  for (const char32_t character : {U'中', U'の', U'カ', U'ー', U'𠀀'}) {
    EXPECT_EQ(script_of(character), Script::east_asian);
  }
  for (const char32_t character : {U'1', U'.', U'，', U'。', U'€', U'😀', U'-', U'½'}) {
    EXPECT_EQ(script_of(character), Script::common);
  }
  EXPECT_EQ(script_of(U'\u0301'), Script::any);
  EXPECT_EQ(script_of(U'क'), script_of(U'ख'));
  EXPECT_NE(script_of(U'क'), script_of(U'ক'));  // Devanagari and Bengali.
}

}  // namespace
}  // namespace eatt
