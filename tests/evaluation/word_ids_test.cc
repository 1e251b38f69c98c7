#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "evaluation/ngram_matcher.h"

namespace eatt::evaluation {
namespace {

TEST(WordIds, EqualWordsAndOnlyThoseShareANumber) {
  WordIds ids;
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    ids.clear();
    std::vector<std::string> words;  // Lengths 0 to 20, few letters: many equal, many nearly so.
    for (int i = 0; i < 1000; ++i) {
      words.push_back(std::string(random.below(21), 'a'));
      for (char& letter : words.back()) letter = random.chance(0.9) ? 'a' : 'b';
    }
    std::vector<uint32_t> numbers;
    ids.ids({words.begin(), words.end()}, numbers);
    for (size_t i = 0; i < words.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        ASSERT_EQ(numbers[i] == numbers[j], words[i] == words[j]) << words[i] << " " << words[j];
      }
    }
  }
}

}  // namespace
}  // namespace eatt::evaluation
