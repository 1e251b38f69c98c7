#include <gtest/gtest.h>

#include "energy/closed_forms.h"

namespace eatt::energy {
namespace {

// Layers of one mechanism, ffn four times as wide: what the closed forms are about.
Architecture uniform(Mechanism mechanism) {
  Architecture a;
  a.model_dim = a.qk_dim = a.attention_dim = 16;
  a.ffn_dim = 64;
  a.heads = 4;
  a.encoder_self.layers.assign(2, mechanism);
  a.decoder_self.layers.assign(3, mechanism);
  a.cross.layers.assign(3, mechanism);
  return a;
}

// One sentence of so many positions, end markers counted.
Activity lengths(uint64_t source, uint64_t target) {
  Activity activity;
  activity.source_rows = source;
  activity.source_pairs = source * source;
  activity.search.best_rows = target;
  activity.search.best_pairs = target * target;
  activity.search.best_cross_pairs = source * target;
  return activity;
}

TEST(PaperOperations, EqualLengthsGiveTheClosedFormOfEveryAttention) {
  const Activity text = lengths(7, 7);
  const Shape shape(7, 16);
  for (const Mechanism mechanism : kMechanisms) {
    for (const Level level : {Level::alignment, Level::attention}) {
      const OperationCount one = count(forms_of(mechanism, level, Accounting::paper), shape);
      const OperationCount all = paper_operations(uniform(mechanism), text, level);
      EXPECT_EQ(all.additions, 8 * one.additions) << name_of(mechanism);
      EXPECT_EQ(all.multiplications, 8 * one.multiplications) << name_of(mechanism);
    }
  }
}

TEST(PaperOperations, ADecoderLayerHasOneFeedForwardLayerBehindTwoAttentions) {
  const Activity text = lengths(7, 7);
  const Shape shape(7, 16);
  const auto block = count(forms_of(Mechanism::eatt, Level::block, Accounting::paper), shape);
  const auto ffn = count(forms_of(Mechanism::eatt, Duty::ffn, Accounting::paper), shape);
  const auto all = paper_operations(uniform(Mechanism::eatt), text, Level::block);
  EXPECT_EQ(all.additions, 8 * block.additions - 3 * ffn.additions);
  EXPECT_EQ(all.multiplications, 8 * block.multiplications - 3 * ffn.multiplications);
}

TEST(PaperOperations, CrossAttentionHasTheTargetsQueriesAndTheSourcesKeys) {
  Architecture a = uniform(Mechanism::randinit);  // Nothing to align but in cross-attention.
  a.cross.layers.assign(3, Mechanism::vanilla);
  const Activity text = lengths(5, 10);
  const auto all = paper_operations(a, text, Level::alignment);
  EXPECT_EQ(all.additions, 3 * (10 * 16 * 16 + 5 * 16 * 16 + 10 * 5 * 16));
  EXPECT_EQ(all.multiplications, all.additions);
}

TEST(PaperOperations, WidthsAreTheModelsOwn) {
  Architecture a = uniform(Mechanism::vanilla);
  a.qk_dim = 8;
  a.attention_dim = 4;
  a.ffn_dim = 10;
  const Activity text = lengths(1, 1);
  EXPECT_EQ(paper_operations(a, text, Level::alignment).additions, 8 * (2 * 16 * 8 + 8));
  EXPECT_EQ(paper_operations(a, text, Level::attention).additions,
            8 * (2 * 16 * 8 + 8 + 16 * 4 + 4));
  EXPECT_EQ(paper_operations(a, text, Level::block).additions,
            8 * (2 * 16 * 8 + 8 + 2 * 16 * 4 + 4) + 5 * 2 * 16 * 10);
}

}  // namespace
}  // namespace eatt::energy
