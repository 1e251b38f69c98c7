#include "training/greedy_search.h"

#include <gtest/gtest.h>

#include "../model/small_models.h"
#include "text/pieces.h"
#include "training/batch_tensors.h"

namespace eatt {
namespace {

using namespace testing;

Transformer random_model(Mechanism mechanism) {
  torch::manual_seed(3);
  Transformer model(small_architecture(mechanism, 2), ModelTraining{});
  shake(*model, 0.4);
  model->eval();
  return model;
}

// One sentence, one step at a time, nothing shared with the search under test.
std::vector<int32_t> by_hand(Transformer& model, const std::vector<int32_t>& source, size_t most) {
  const torch::NoGradGuard no_grad;
  std::vector<PiecePair> pair = {{source, {}}};
  while (pair[0].target.size() < most) {
    const TrainingBatch batch = make_batch(pair);
    const auto logits = model->logits(model->decode(model->encode(batch.source), batch.target));
    const auto last = logits[0][-1];
    int32_t best = kEndPiece;
    for (int32_t piece = kEndPiece; piece < last.size(0); ++piece) {
      if (last[piece].item<float>() > last[best].item<float>()) best = piece;
    }
    if (best == kEndPiece) break;
    pair[0].target.push_back(best);
  }
  return pair[0].target;
}

class EachSearch : public ::testing::TestWithParam<Mechanism> {};
INSTANTIATE_TEST_SUITE_P(GreedySearch, EachSearch, kAllMechanisms, name_of_case);

TEST_P(EachSearch, BatchesGiveWhatSentencesGiveAlone) {
  Transformer model = random_model(GetParam());
  const std::vector<std::vector<int32_t>> sources = {{5, 6, 7, 8}, {9}, {}, {10, 4}, {4, 4, 4}};
  const GreedyOptions options{.batch_words = 8, .length_factor = 1, .length_extra = 3};
  const auto found = greedy_search(model, sources, options);
  ASSERT_EQ(found.size(), sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(found[i].pieces, by_hand(model, sources[i], sources[i].size() + 3)) << i;
    EXPECT_LT(found[i].log_probability, 0);
  }
}

TEST(GreedySearch, DenseNeverGoesBeyondItsLongestSentence) {
  Transformer model = random_model(Mechanism::dense);  // At most 11 tokens.
  const std::vector<std::vector<int32_t>> sources = {{5, 6, 7, 8, 9, 10, 4, 5, 6, 7}};
  EXPECT_LE(greedy_search(model, sources)[0].pieces.size(), 11u);
}

}  // namespace
}  // namespace eatt
