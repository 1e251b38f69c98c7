#include "training/update/batches.h"

#include <gtest/gtest.h>

namespace eatt {
namespace {

TEST(BatchTensors, MarkersAndPaddingStandWhereTheyBelong) {
  const std::vector<PiecePair> pairs = {{{10, 11, 12}, {20}}, {{13}, {21, 22}}};
  const TrainingBatch batch = make_batch(pairs);
  EXPECT_TRUE(batch.source.tokens.equal(torch::tensor({{10, 11, 12, 3}, {13, 3, 0, 0}})));
  EXPECT_TRUE(batch.source.lengths.equal(torch::tensor({4, 2})));
  EXPECT_TRUE(batch.target.tokens.equal(torch::tensor({{2, 20, 0}, {2, 21, 22}})));
  EXPECT_TRUE(batch.target.lengths.equal(torch::tensor({2, 3})));
  EXPECT_TRUE(batch.labels.equal(torch::tensor({20, 3, 21, 22, 3})));
  EXPECT_TRUE(batch.places.equal(torch::tensor({0, 1, 3, 4, 5})));
  EXPECT_EQ(batch.words(), 5);
  EXPECT_EQ(batch.source_words, 6);
}

TEST(BatchTensors, AnEmptySentenceIsItsEndMarker) {
  const TrainingBatch batch = make_batch(std::vector<PiecePair>{{{}, {}}});
  EXPECT_TRUE(batch.source.tokens.equal(torch::tensor({{3}})));
  EXPECT_TRUE(batch.target.tokens.equal(torch::tensor({{2}})));
  EXPECT_TRUE(batch.labels.equal(torch::tensor({3})));
}

}  // namespace
}  // namespace eatt
