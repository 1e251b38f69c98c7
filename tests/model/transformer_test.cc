#include "model/transformer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bundle/expected_tensors.h"
#include "small_models.h"

namespace eatt {
namespace {

using namespace testing;

// Whole sentences through whole models in double. Codes of eatt and selection can only flip where a
// number sits within rounding of the threshold, which the fixed seeds here avoid.
class EachModel : public ::testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    torch::manual_seed(5);
    model = Transformer(small_architecture(GetParam(), 2), ModelTraining{});
    model->to(torch::kDouble);
    shake(*model, 0.1);
    model->eval();
  }

  torch::Tensor logits(const TokenBatch& from, const TokenBatch& to) {
    const torch::NoGradGuard no_grad;
    return model->logits(model->decode(model->encode(from), to));
  }

  Transformer model{nullptr};
  const TokenBatch source{torch::tensor({{4, 5, 6, 7, 3}, {8, 9, 3, 0, 0}}), torch::tensor({5, 3})};
  const TokenBatch target{torch::tensor({{2, 4, 5, 6}, {2, 7, 0, 0}}), torch::tensor({4, 2})};
};
INSTANTIATE_TEST_SUITE_P(Transformer, EachModel, kAllMechanisms, name_of_case);

TEST_P(EachModel, HasTheTensorsThatABundleExpects) {
  for (const auto embeddings :
       {EmbeddingSharing::none, EmbeddingSharing::target, EmbeddingSharing::all}) {
    for (const auto norm : {NormPlacement::pre, NormPlacement::post}) {
      for (const bool learned : {false, true}) {
        auto architecture = small_architecture(GetParam(), 2);
        architecture.source_vocab = architecture.target_vocab;
        architecture.embeddings = embeddings;
        architecture.norm = norm;
        architecture.threshold.learned = learned;
        if (learned) architecture.cross.scale.kind = ScaleKind::learned;
        const auto parameters = parameters_of(*Transformer(architecture, ModelTraining{}));
        const auto expected = expected_tensors(architecture);
        EXPECT_EQ(parameters.size(), expected.size());
        for (const TensorSpec& spec : expected) {
          ASSERT_TRUE(parameters.contains(spec.name)) << spec.name;
          const std::vector<int64_t> shape(spec.shape.begin(), spec.shape.end());
          EXPECT_EQ(parameters.at(spec.name).sizes().vec(), shape) << spec.name;
        }
      }
    }
  }
}

TEST_P(EachModel, LaterTargetWordsDoNotChangeEarlierPredictions) {
  const auto before = logits(source, target);
  TokenBatch changed = target;
  changed.tokens = target.tokens.clone();
  changed.tokens[0][3] = 11;
  const auto after = logits(source, changed);
  EXPECT_TRUE(torch::allclose(before[0].slice(0, 0, 3), after[0].slice(0, 0, 3), 0, 1e-12));
  EXPECT_FALSE(torch::allclose(before[0][3], after[0][3], 0, 1e-9));
}

TEST_P(EachModel, MorePaddingChangesNothing) {
  const TokenBatch padded_source{torch::constant_pad_nd(source.tokens, {0, 3}), source.lengths};
  const TokenBatch padded_target{torch::constant_pad_nd(target.tokens, {0, 2}), target.lengths};
  const auto plain = logits(source, target);
  const auto padded = logits(padded_source, padded_target);
  EXPECT_TRUE(torch::allclose(plain[0], padded[0].slice(0, 0, 4), 0, 1e-12));
  EXPECT_TRUE(torch::allclose(plain[1].slice(0, 0, 2), padded[1].slice(0, 0, 2), 0, 1e-12));
}

TEST_P(EachModel, ASentencesLogitsDoNotDependOnItsNeighbours) {
  const auto together = logits(source, target);
  const TokenBatch source_1{source.tokens.slice(0, 1, 2).slice(1, 0, 3), torch::tensor({3})};
  const TokenBatch target_1{target.tokens.slice(0, 1, 2).slice(1, 0, 2), torch::tensor({2})};
  EXPECT_TRUE(torch::allclose(logits(source_1, target_1)[0], together[1].slice(0, 0, 2), 0, 1e-12));
}

TEST_P(EachModel, EveryParameterGetsAGradient) {
  const auto output = model->logits(model->decode(model->encode(source), target));
  output.square().sum().backward();
  for (const auto& [name, parameter] : parameters_of(*model)) {
    // randinit as cross-attention never looks at its queries, nor at the norm before them.
    if (GetParam() == Mechanism::randinit && name.find("cross_attn_layer_norm") != name.npos)
      continue;
    ASSERT_TRUE(parameter.grad().defined()) << name;
    // Adding one vector to all keys moves every dot product of a query alike: softmax forgets it.
    const bool key_bias = name.ends_with("k_proj.bias") && !scores_by_distance(GetParam());
    if (key_bias) continue;
    EXPECT_GT(parameter.grad().abs().sum().item<double>(), 0) << name;
  }
}

// All codes of a model, layer by layer.
std::vector<torch::Tensor> codes_of(Transformer& model, const TokenBatch& source,
                                    const TokenBatch& target) {
  ModelTrace trace;
  model->decode(model->encode(source, &trace), target, &trace);
  std::vector<torch::Tensor> codes;
  for (const auto* role : {&trace.encoder_self, &trace.decoder_self, &trace.cross}) {
    for (const AttentionTrace& layer : *role) {
      codes.insert(codes.end(), {layer.query_codes, layer.key_codes});
    }
  }
  return codes;
}

// Sub-layers whose results are their biases hide that they read states with dropout.
TEST(Transformer, CodesWithoutDropoutReadSumsWithoutIt) {
  const TokenBatch source{torch::tensor({{4, 5, 6, 7, 3}}), torch::tensor({5})};
  const TokenBatch target{torch::tensor({{2, 4, 5, 6}}), torch::tensor({4})};
  for (const auto norm : {NormPlacement::pre, NormPlacement::post}) {
    for (const bool without : {false, true}) {
      torch::manual_seed(3);
      Architecture architecture = small_architecture(Mechanism::eatt, 2);
      architecture.norm = norm;
      ModelTraining training;
      training.dropout.residual = 0.5;
      training.codes.without_dropout = without;
      Transformer model(architecture, training);
      shake(*model, 0.1);
      const torch::NoGradGuard no_grad;
      for (auto& [name, parameter] : parameters_of(*model)) {
        if (name.ends_with("out_proj.weight") || name.ends_with("fc2.weight")) parameter.zero_();
      }
      model->eval();
      const auto expected = codes_of(model, source, target);
      model->train();
      const auto found = codes_of(model, source, target);
      size_t equal = 0;
      for (size_t i = 0; i < found.size(); ++i) equal += found[i].equal(expected[i]);
      EXPECT_EQ(equal, without ? found.size() : 0);
    }
  }
}

TEST(Transformer, TheTraceHasOneEntryPerLayerAndRole) {
  Transformer model(small_architecture(Mechanism::eatt, 2), ModelTraining{});
  ModelTrace trace;
  const TokenBatch source{torch::tensor({{4, 5, 3}}), torch::tensor({3})};
  const TokenBatch target{torch::tensor({{2, 4}}), torch::tensor({2})};
  model->decode(model->encode(source, &trace), target, &trace);
  ASSERT_EQ(trace.cross.size(), 2u);
  EXPECT_EQ(trace.encoder_self.size(), 2u);
  EXPECT_EQ(trace.cross[1].weights.sizes().vec(), (std::vector<int64_t>{1, 3, 2, 3}));
  EXPECT_TRUE(trace.cross[0].key_codes.equal(trace.cross[1].key_codes)) << "binarised once";
}

TEST(Transformer, DenseRefusesSentencesAboveItsLength) {
  Transformer model(small_architecture(Mechanism::dense), ModelTraining{});
  EXPECT_THROW(model->check_length(12), Error);
  EXPECT_NO_THROW(model->check_length(11));
  EXPECT_NO_THROW(
      Transformer(small_architecture(Mechanism::eatt), ModelTraining{})->check_length(5000));
}

TEST(Transformer, TheSameSeedGivesTheSameWeights) {
  const auto weights = [] {
    torch::manual_seed(1);
    return parameters_of(*Transformer(small_architecture(Mechanism::eatt), ModelTraining{}));
  };
  const auto first = weights();
  for (const auto& [name, value] : weights()) EXPECT_TRUE(value.equal(first.at(name))) << name;
}

}  // namespace
}  // namespace eatt
