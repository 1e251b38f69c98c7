#include "text/lexicon/piece_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/threads.h"
#include "support/files.h"
#include "text/corpus/prepare_corpus.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using testing::sample_model;
using testing::split_lines;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

using Pair = std::pair<std::vector<int32_t>, std::vector<int32_t>>;

std::vector<Pair> all_of(const PiecePairs& pairs) {
  std::vector<Pair> all(pairs.size());
  for (size_t i = 0; i < all.size(); ++i) pairs.read(i, all[i].first, all[i].second);
  return all;
}

class PiecePairsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const testing::SampleText text = testing::sample_text(300);
    source_ = folder_.write("train.en", text.source).string();
    target_ = folder_.write("train.de", text.target).string();
    const auto sources = split_lines(text.source), targets = split_lines(text.target);
    for (size_t i = 0; i < sources.size(); ++i) {
      expected_.emplace_back(pieces_.encode(sources[i]), pieces_.encode(targets[i]));
    }
  }
  void TearDown() override { set_thread_count(0); }

  StoredPairs encode(size_t max_pairs = 1000) const {
    return encode_pairs({{source_, target_}}, pieces_, pieces_, max_pairs);
  }

  TemporaryFolder folder_;
  Pieces pieces_{sample_model(), "model"};
  std::string source_, target_;
  std::vector<Pair> expected_;
};

TEST_F(PiecePairsTest, TextIsEncodedInItsOrder) { EXPECT_EQ(all_of(encode()), expected_); }

TEST_F(PiecePairsTest, TooManyPairsAreSampledEvenly) {
  std::vector<Pair> every_fourth;
  for (size_t i = 0; i < expected_.size(); i += 4) every_fourth.push_back(expected_[i]);
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    EXPECT_EQ(all_of(encode(100)), every_fourth) << threads;
    EXPECT_EQ(encode(1).size(), 1u);
  }
}

TEST_F(PiecePairsTest, ADataSetGivesTheSamePairs) {
  const auto model = folder_.write("joint.spm", sample_model());
  PrepareOptions options;
  options.inputs = {{source_, target_}};
  options.output = folder_ / "data";
  options.piece_models = {model};
  prepare_corpus(options);
  const DataSet data(folder_ / "data");
  EXPECT_EQ(all_of(PreparedPairs(data, 300)), expected_);
  const auto some = all_of(PreparedPairs(data, 299));
  ASSERT_EQ(some.size(), 150u);
  EXPECT_EQ(some[149], expected_[298]);
}

TEST_F(PiecePairsTest, EveryPairIsEitherHeldOutOrLearntFrom) {
  const StoredPairs all = encode();
  const auto training = all_of(PartOfPairs(all, PartOfPairs::Part::training));
  const auto held_out = all_of(PartOfPairs(all, PartOfPairs::Part::held_out));
  EXPECT_EQ(training.size(), 294u);
  ASSERT_EQ(held_out.size(), 6u);
  EXPECT_EQ(held_out[1], expected_[99]);
  std::vector<Pair> both = training;
  both.insert(both.end(), held_out.begin(), held_out.end());
  EXPECT_TRUE(std::ranges::is_permutation(both, expected_));
}

TEST_F(PiecePairsTest, WhatIsNoTextIsLeftOutAndNothingLeftIsAnError) {
  const auto source = folder_.write("some", "a\n\xff\n\nb\n");
  const auto target = folder_.write("other", "x\ny\nz\nw\n");
  const auto pairs = encode_pairs({{source.string(), target.string()}}, pieces_, pieces_, 10);
  EXPECT_EQ(all_of(pairs), (std::vector<Pair>{{pieces_.encode("a"), pieces_.encode("x")},
                                              {pieces_.encode("b"), pieces_.encode("w")}}));
  const auto empty = folder_.write("empty", "\n\n").string();
  EXPECT_THAT(
      [&] {
        encode_pairs({{empty, empty}}, pieces_, pieces_, 10);
      },
      ThrowsMessage<Error>(HasSubstr("none of the 2 pairs can be used")));
}

TEST(StoredPairs, WhatIsKeptStaysWhole) {
  StoredPairs pairs;
  for (int32_t i = 0; i < 5; ++i) {
    pairs.add(std::vector<int32_t>(static_cast<size_t>(i), i), std::vector<int32_t>{10 + i, i});
  }
  pairs.keep_if([](size_t i) { return i != 0 && i != 3; });
  EXPECT_EQ(all_of(pairs),
            (std::vector<Pair>{{{1}, {11, 1}}, {{2, 2}, {12, 2}}, {{4, 4, 4, 4}, {14, 4}}}));
}

}  // namespace
}  // namespace eatt
