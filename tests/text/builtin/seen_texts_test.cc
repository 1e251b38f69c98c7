#include <gtest/gtest.h>

#include <string>

#include "builtin/generate.h"

namespace eatt::builtin {
namespace {

TEST(SeenTexts, KnowsEachTextItWasGivenAndNoOther) {
  SeenTexts texts;
  for (int i = 0; i < 50'000; ++i) {  // Grows several times on the way.
    const std::string text = std::to_string(i);
    EXPECT_FALSE(texts.contains(text));
    texts.insert(text);
    EXPECT_TRUE(texts.contains(text));
  }
  EXPECT_EQ(texts.size(), 50'000u);
  EXPECT_TRUE(texts.contains("0"));
  EXPECT_FALSE(texts.contains("50000"));
}

TEST(SeenTexts, ATextGivenTwiceCountsOnce) {
  SeenTexts texts;
  texts.insert("我");
  texts.insert("我");
  EXPECT_EQ(texts.size(), 1u);
}

}  // namespace
}  // namespace eatt::builtin
