#include "builtin/composer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.h"

namespace eatt::builtin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ComposerTest : public ::testing::Test {
 protected:
  Random random_{1};
  Composer c_{random_};
};

TEST_F(ComposerTest, WordsWithTheSameLabelAreLinkedAndOthersAreNot) {
  const SentencePair pair =
      finish(c_.rule("大约/1 50/2 年/3 前/4 了", "the around/1 50/2 years/3 ago/4"));
  EXPECT_EQ(join(pair.source, Spacing::words), "大约 50 年 前 了");
  EXPECT_EQ(join(pair.target, Spacing::words), "the around 50 years ago");
  EXPECT_THAT(pair.links, ElementsAre(Link{0, 1}, Link{1, 2}, Link{2, 3}, Link{3, 4}));
}

TEST_F(ComposerTest, PartsTakeTheOrderOfEachSide) {
  const Phrase time = c_.linked("昨天", "yesterday");
  const Phrase subject = c_.linked("我", "I");
  const SentencePair pair = finish(c_.rule("{time} {subject} 走/1", "{subject} left/1 {time}",
                                           {{"time", time}, {"subject", subject}}));
  EXPECT_EQ(join(pair.source, Spacing::words), "昨天 我 走");
  EXPECT_EQ(join(pair.target, Spacing::words), "I left yesterday");
  EXPECT_THAT(pair.links, ElementsAre(Link{0, 2}, Link{1, 0}, Link{2, 1}));
}

TEST_F(ComposerTest, EqualLabelsOfTwoRulesAreDifferentLinks) {
  const Phrase one = c_.rule("一/1", "one/1");
  const SentencePair pair = finish(c_.rule("{one} 二/1", "{one} two/1", {{"one", one}}));
  EXPECT_THAT(pair.links, ElementsAre(Link{0, 0}, Link{1, 1}));
}

TEST_F(ComposerTest, OneWordCanBeLinkedWithWordsThatStandApart) {
  const int link = c_.new_link();
  const Phrase no = c_.source_only("没", link);
  const Phrase did = c_.target_only("did", link);
  const Phrase not_word = c_.target_only("not", link);
  const SentencePair pair = finish(c_.rule("他/1 {no} 来/2", "{did} he/1 {not} come/2",
                                           {{"no", no}, {"did", did}, {"not", not_word}}));
  EXPECT_EQ(join(pair.target, Spacing::words), "did he not come");
  EXPECT_THAT(pair.links, ElementsAre(Link{0, 1}, Link{1, 0}, Link{1, 2}, Link{2, 3}));
}

TEST_F(ComposerTest, AnEmptyPartLeavesNothingBehind) {
  const Phrase empty;
  const Phrase phrase = c_.rule("来 {time}", "{time} come", {{"time", empty}});
  EXPECT_EQ(phrase.source.size(), 1u);
  EXPECT_EQ(phrase.target.size(), 1u);
}

TEST_F(ComposerTest, ARuleThatLosesDoublesOrLacksAPartIsABug) {
  const Phrase word = c_.linked("书", "book");
  EXPECT_THROW(c_.rule("{word}", "a", {{"word", word}}), InternalError);
  EXPECT_THROW(c_.rule("{word} {word}", "{word}", {{"word", word}}), InternalError);
  EXPECT_THROW(c_.rule("{word} {other}", "{word}", {{"word", word}}), InternalError);
}

TEST_F(ComposerTest, TheAlignmentOfATextWithoutSpacesCountsCharacters) {
  const SentencePair pair =
      finish(c_.rule("工程师/1 50/2 岁/3 。/4", "engineer/1 50/2 years/3 ./4"));
  EXPECT_EQ(pharaoh(pair, Spacing::words, Spacing::words), "0-0 1-1 2-2 3-3");
  EXPECT_EQ(join(pair.source, Spacing::none), "工程师50岁。");
  EXPECT_EQ(pharaoh(pair, Spacing::none, Spacing::words), "0-0 1-0 2-0 3-1 4-1 5-2 6-3");
  EXPECT_EQ(pharaoh(pair, Spacing::words, Spacing::none).substr(0, 15), "0-0 0-1 0-2 0-3");
}

TEST_F(ComposerTest, TheFirstOfAListComesThreeTimesAsOftenAsTheLast) {
  std::array<int, 10> seen{};
  for (int i = 0; i < 100'000; ++i) ++seen.at(c_.skewed_below(seen.size()));
  EXPECT_NEAR(seen.front(), 14'500, 500);  // (1/2 + 19/20) / 10, four standard deviations
  EXPECT_NEAR(seen.back(), 5'500, 300);    // (1/2 + 1/20) / 10
}

TEST_F(ComposerTest, WeightsAreShares) {
  struct Item {
    uint64_t weight;
    int number;
  };
  constexpr Item kItems[] = {{1, 0}, {3, 1}, {0, 2}};
  std::array<int, 3> seen{};
  for (int i = 0; i < 40'000; ++i) ++seen.at(static_cast<size_t>(c_.pick_weighted(kItems).number));
  EXPECT_NEAR(seen[0], 10'000, 400);
  EXPECT_EQ(seen[2], 0);
}

}  // namespace
}  // namespace eatt::builtin
