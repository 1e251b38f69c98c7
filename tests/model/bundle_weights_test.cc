#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/transformer.h"
#include "small_models.h"
#include "support/files.h"
#include "support/plain_int8_bundle.h"

namespace eatt {
namespace {

using namespace testing;

class EachFolding : public ::testing::TestWithParam<Mechanism> {};
INSTANTIATE_TEST_SUITE_P(BundleWeights, EachFolding, kAllMechanisms, name_of_case);

Transformer model_of(const Architecture& architecture, const NamedWeights& weights) {
  Transformer model(architecture, ModelTraining{});
  EXPECT_TRUE(copy_weights(weights, *model).empty());
  model->eval();
  return model;
}

torch::Tensor logits(Transformer& model) {
  const torch::NoGradGuard no_grad;
  const TokenBatch source{torch::tensor({{4, 5, 6, 7, 3}, {8, 9, 3, 0, 0}}), torch::tensor({5, 3})};
  const TokenBatch target{torch::tensor({{2, 4, 5, 6}, {2, 7, 0, 0}}), torch::tensor({4, 2})};
  return model->logits(model->decode(model->encode(source), target));
}

TEST_P(EachFolding, AFoldedScaleGivesTheSameLogitsWithoutAMultiplication) {
  for (const ScaleKind kind : {ScaleKind::head_width, ScaleKind::fixed, ScaleKind::learned}) {
    torch::manual_seed(11);
    Architecture architecture = small_architecture(GetParam(), 2);
    for (Attention* role :
         {&architecture.encoder_self, &architecture.decoder_self, &architecture.cross}) {
      role->scale = {kind, 1.7};
    }
    Transformer model(architecture, ModelTraining{});
    shake(*model, 0.2);
    model->eval();
    NamedWeights weights;
    for (const auto& [name, tensor] : weights_of(*model)) weights[name] = tensor.clone();
    Architecture folded = architecture;
    fold_score_scales(folded, weights);
    EXPECT_EQ(score_divisor(folded, Role::cross), 1.0);
    Transformer finished = model_of(folded, weights);
    EXPECT_TRUE(torch::allclose(logits(finished), logits(model), 1e-4, 1e-5));

    unfold_score_scales(architecture, folded, weights);
    Transformer again = model_of(architecture, weights);
    EXPECT_TRUE(torch::allclose(logits(again), logits(model), 1e-4, 1e-5));
  }
}

TEST(BundleWeights, AnInt8BundleIsRefused) {
  const TemporaryFolder folder;
  write_bundle(folder / "int8", PlainInt8Bundle(tiny_architecture()).contents());
  const Bundle bundle = Bundle::open(folder / "int8");
  const auto refusal = ::testing::ThrowsMessage<Error>(::testing::HasSubstr(
      "is an int8 bundle; this command needs the float32 one it was made from, "
      "such as RUN/best of the training run"));
  EXPECT_THAT([&] { weights_of(bundle); }, refusal);
  EXPECT_THAT([&] { load_transformer(bundle); }, refusal);
}

TEST(BundleWeights, WhatDoesNotFitIsNamedAndStays) {
  Transformer model(small_architecture(Mechanism::eatt), ModelTraining{});
  NamedWeights weights;
  for (const auto& [name, tensor] : weights_of(*model)) weights[name] = tensor + 1;
  weights.erase("encoder.layers.0.fc1.bias");
  weights["encoder.layers.0.fc2.bias"] = torch::zeros({3});
  const auto before = model->named_parameters()["encoder.layers.0.fc2.bias"].clone();
  const auto misfits = copy_weights(weights, *model);
  ASSERT_EQ(misfits.size(), 2u);
  EXPECT_EQ(misfits[0].name, "encoder.layers.0.fc1.bias");
  EXPECT_EQ(misfits[0].reason, "the bundle has no such tensor");
  EXPECT_EQ(misfits[1].reason, "[3] in the bundle, [12] here");
  EXPECT_TRUE(model->named_parameters()["encoder.layers.0.fc2.bias"].equal(before));
  EXPECT_TRUE(model->named_parameters()["encoder.layers.0.fc1.weight"].equal(
      weights["encoder.layers.0.fc1.weight"]));
}

}  // namespace
}  // namespace eatt
