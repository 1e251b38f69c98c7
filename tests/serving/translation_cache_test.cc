#include "serving/engine/translation_cache.h"

#include <gtest/gtest.h>

namespace eatt::serving {
namespace {

std::shared_ptr<const Translation> translation(const std::string& text) {
  auto made = std::make_shared<Translation>();
  made->hypotheses.emplace_back().text = text;
  return made;
}

TEST(TranslationCache, KeepsWhatWasAskedForLately) {
  TranslationCache cache(3000);
  cache.insert("first", translation(std::string(200, 'a')));
  for (int i = 0; i < 100; ++i) {
    cache.insert("other " + std::to_string(i), translation(std::string(200, 'b')));
    ASSERT_NE(cache.find("first"), nullptr) << i;
    ASSERT_LE(cache.bytes(), 3000u);
  }
  EXPECT_EQ(cache.find("other 0"), nullptr);
  EXPECT_NE(cache.find("other 99"), nullptr);
  EXPECT_EQ(cache.hits(), 101u);
  EXPECT_EQ(cache.misses(), 1u);
}

TEST(TranslationCache, ANewTranslationReplacesTheOldOne) {
  TranslationCache cache(10'000);
  cache.insert("key", translation("old"));
  const size_t bytes = cache.bytes();
  cache.insert("key", translation("new"));
  EXPECT_EQ(cache.find("key")->hypotheses[0].text, "new");
  EXPECT_EQ(cache.bytes(), bytes);
}

TEST(TranslationCache, WhatIsLargerThanTheCacheIsNotKept) {
  TranslationCache cache(3000);
  cache.insert("small", translation("a"));
  cache.insert("large", translation(std::string(5000, 'a')));
  EXPECT_EQ(cache.find("large"), nullptr);
  EXPECT_NE(cache.find("small"), nullptr);
}

TEST(TranslationCache, KeysDifferWhereverTranslationsMay) {
  const SearchOptions greedy, beam{.beam_size = 4}, sampling{.sampling = true};
  const std::string key = cache_key({.text = "text", .search = greedy}, 0);
  EXPECT_EQ(key, cache_key({.text = "text", .search = greedy}, 7)) << "the place does not matter";
  EXPECT_NE(key, cache_key({.text = "texts", .search = greedy}, 0));
  EXPECT_NE(key, cache_key({.text = "text", .search = beam}, 0));
  EXPECT_NE(key, cache_key({.text = "text", .search = greedy, .wants_attention = true}, 0));
  EXPECT_NE(key, cache_key({.text = "text", .search = greedy, .wants_scores = false}, 0));
  EXPECT_NE(cache_key({.text = "text", .search = sampling}, 0),
            cache_key({.text = "text", .search = sampling}, 1));
  EXPECT_NE(cache_key({.text = "text", .search = {.word_penalty = 0.1}}, 0),
            cache_key({.text = "text", .search = {.word_penalty = 0.2}}, 0));
}

}  // namespace
}  // namespace eatt::serving
