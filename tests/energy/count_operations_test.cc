#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "energy/ledger.h"
#include "written_activity.h"

namespace eatt::energy {
namespace {

using enum Operation;
using enum Number;
using testing::written_activity;

Architecture architecture_of(Mechanism mechanism) {
  Architecture a;
  a.model_dim = 8;
  a.qk_dim = 4;
  a.attention_dim = 6;
  a.heads = 2;
  a.ffn_dim = 10;
  a.source_vocab = a.target_vocab = 20;
  a.max_length = 16;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross})
    attention->layers.assign(1, mechanism);
  return a;
}

Ledger count(Mechanism mechanism, Precision precision) {
  return count_operations(architecture_of(mechanism), precision, written_activity(3, 2, 1, 20, 5));
}

constexpr Place kEncoderSelf{Stack::encoder, 1, SubLayer::self_attention};
constexpr Place kCross{Stack::decoder, 1, SubLayer::cross_attention};

TEST(CountOperations, EattMakesQueriesAndKeysOfAdditionsAlone) {
  const Ledger ledger = count(Mechanism::eatt, Precision::float32);
  Work work = ledger.at({kEncoderSelf, Duty::query});
  work += ledger.at({kEncoderSelf, Duty::key});
  EXPECT_EQ(work.operations.at(add, fp32), 2 * 3 * 5 * 4);  // Two selections: 15 ones of width 4.
  EXPECT_EQ(work.operations.at(compare, fp32), 3 * 8);
  EXPECT_EQ(work.operations.total(mul), 0);
  // Five distinct rows of four floats and a bias, twice; and one threshold.
  EXPECT_EQ(work.moved(Data::weights).read, 2 * (5 * 4 + 4) * 4 + 4);
}

TEST(CountOperations, AnL1ScoreIsASubtractionAndAnAdditionPerElement) {
  const Work l1 = count(Mechanism::l1, Precision::float32).at({kEncoderSelf, Duty::scores});
  EXPECT_EQ(l1.operations.at(add, fp32), 2 * 9 * 4);
  EXPECT_EQ(l1.operations.total(mul), 0);
  const Work whole = count(Mechanism::eatt, Precision::int8).at({kEncoderSelf, Duty::scores});
  EXPECT_EQ(whole.operations.at(add, int16), 9 * 4);
  EXPECT_EQ(whole.operations.at(add, int32), 9 * 4);
  EXPECT_EQ(whole.operations.at(mul, fp32), 9 * 2);  // The unit of each head.
}

TEST(CountOperations, CrossAttentionReadsItsCachesForEveryPair) {
  const Work scores = count(Mechanism::vanilla, Precision::float32).at({kCross, Duty::scores});
  EXPECT_EQ(scores.moved(Data::caches).read, 2 * 3 * 4 * 4);
  const Work halves = count(Mechanism::vanilla, Precision::int8).at({kCross, Duty::scores});
  EXPECT_EQ(halves.moved(Data::caches).read, 2 * 3 * 4 * 2);
  EXPECT_EQ(halves.operations.at(shift, fp32), 2 * 3 * 4);
}

TEST(CountOperations, TwoTextsTakeTheSumOfBoth) {
  const Architecture a = architecture_of(Mechanism::eatt);
  const Activity one = written_activity(3, 2, 1, 20, 5), other = written_activity(6, 7, 1, 20, 3);
  Activity both = one;
  both += other;
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    Ledger sum = count_operations(a, precision, one);
    sum += count_operations(a, precision, other);
    EXPECT_EQ(count_operations(a, precision, both), sum);
  }
}

TEST(CountOperations, AModelThatBinarisesNeedsCodes) {
  Activity activity = written_activity(3, 2, 1, 20, 5);
  activity.cross_query.clear();
  EXPECT_THAT(
      [&] { count_operations(architecture_of(Mechanism::eatt), Precision::float32, activity); },
      ::testing::ThrowsMessage<UsageError>(
          ::testing::HasSubstr("decoder layer 1, cross-attention: 2 rows were computed, but there "
                               "are binary codes of 0")));
  EXPECT_NO_THROW(
      count_operations(architecture_of(Mechanism::dense), Precision::float32, activity));
}

TEST(Footprint, CountsWeightsOnceHoweverOftenTheyAreRead) {
  const Activity activity = written_activity(3, 2, 1, 20, 5);
  const auto bytes = [&](Mechanism mechanism, EmbeddingSharing sharing) {
    Architecture a = architecture_of(mechanism);
    a.embeddings = sharing;
    return footprint(a, Precision::float32, activity).weights;
  };
  // d 8, q 4, v 6, f 10; three attentions, two feed-forward layers, seven norms, three embeddings.
  const uint64_t attention = 2 * (8 * 4 + 4) + (8 * 6 + 6) + (6 * 8 + 8);
  const uint64_t feed_forward = (8 * 10 + 10) + (10 * 8 + 8);
  EXPECT_EQ(bytes(Mechanism::vanilla, EmbeddingSharing::none),
            4 * (3 * attention + 2 * feed_forward + 7 * 16 + 3 * 20 * 8));
  EXPECT_EQ(bytes(Mechanism::vanilla, EmbeddingSharing::none) -
                bytes(Mechanism::vanilla, EmbeddingSharing::all),
            4 * 2 * 20 * 8);
  // A threshold for each attention, and one for the encoder's output.
  EXPECT_EQ(bytes(Mechanism::eatt, EmbeddingSharing::none) -
                bytes(Mechanism::vanilla, EmbeddingSharing::none),
            4 * 4);
}

TEST(Footprint, CachesHoldTheSourceAndAllPositionsOfHypotheses) {
  const Activity activity = written_activity(3, 2, 1, 20, 5);
  const auto caches = [&](Mechanism mechanism, Precision precision) {
    return footprint(architecture_of(mechanism), precision, activity).caches;
  };
  EXPECT_EQ(caches(Mechanism::vanilla, Precision::float32), (3 + 2) * (4 + 6) * 4);
  EXPECT_EQ(caches(Mechanism::eatt, Precision::int8), (3 + 2) * (4 + 6) * 2);
  EXPECT_EQ(caches(Mechanism::dense, Precision::float32), (3 + 2) * 6 * 4);
}

}  // namespace
}  // namespace eatt::energy
