#include "bundle/expected_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/tiny_bundle.h"

namespace eatt {
namespace {

using ::testing::IsSupersetOf;
using testing::tiny_architecture;
using ::testing::UnorderedElementsAre;

std::map<std::string, Shape> tensors_of(const Architecture& architecture) {
  std::map<std::string, Shape> tensors;
  for (const TensorSpec& spec : expected_tensors(architecture)) {
    EXPECT_TRUE(tensors.emplace(spec.name, spec.shape).second) << spec.name << " stands twice";
    EXPECT_EQ(spec.dtype, Dtype::f32);
  }
  return tensors;
}

// Names and shapes below `prefix`.
std::map<std::string, Shape> below(const std::string& prefix, const Architecture& architecture) {
  std::map<std::string, Shape> found;
  for (const auto& [name, shape] : tensors_of(architecture)) {
    if (name.starts_with(prefix)) found[name.substr(prefix.size())] = shape;
  }
  return found;
}

// One layer per side; every width another number, so that a swapped one shows.
Architecture odd_widths(Mechanism mechanism) {
  Architecture a = tiny_architecture();
  a.model_dim = 10;
  a.heads = 2;
  a.ffn_dim = 14;
  a.attention_dim = 6;
  a.qk_dim = 4;
  a.max_length = 9;
  a.source_vocab = 21;
  a.target_vocab = 23;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    attention->layers = {mechanism};
  }
  return a;
}

const std::map<std::string, Shape> kValueAndOutput = {{"v_proj.weight", {6, 10}},
                                                      {"v_proj.bias", {6}},
                                                      {"out_proj.weight", {10, 6}},
                                                      {"out_proj.bias", {10}}};

std::map<std::string, Shape> with_value_and_output(std::map<std::string, Shape> tensors) {
  tensors.insert(kValueAndOutput.begin(), kValueAndOutput.end());
  return tensors;
}

TEST(ExpectedTensors, MechanismsWithQueriesAndKeysHaveTheSameTensors) {
  const auto expected = with_value_and_output({{"q_proj.weight", {4, 10}},
                                               {"q_proj.bias", {4}},
                                               {"k_proj.weight", {4, 10}},
                                               {"k_proj.bias", {4}}});
  for (const Mechanism m :
       {Mechanism::vanilla, Mechanism::eatt, Mechanism::selection, Mechanism::l1}) {
    for (const char* prefix : {"encoder.layers.0.self_attn.", "decoder.layers.0.self_attn.",
                               "decoder.layers.0.cross_attn."}) {
      EXPECT_EQ(below(prefix, odd_widths(m)), expected) << mechanism_name(m) << " " << prefix;
    }
  }
}

TEST(ExpectedTensors, DenseHasTwoMatricesAndTheSecondIsSplitByHead) {
  const auto expected = with_value_and_output({{"w1.weight", {4, 10}}, {"w2.weight", {2, 9, 2}}});
  EXPECT_EQ(below("encoder.layers.0.self_attn.", odd_widths(Mechanism::dense)), expected);
  EXPECT_EQ(below("decoder.layers.0.cross_attn.", odd_widths(Mechanism::dense)), expected);
}

TEST(ExpectedTensors, RandinitHasATableOfPositionsPerHead) {
  const auto expected = with_value_and_output({{"score_table", {2, 9, 9}}});
  EXPECT_EQ(below("decoder.layers.0.self_attn.", odd_widths(Mechanism::randinit)), expected);
}

TEST(ExpectedTensors, AFeedForwardBlockAndTheNormsOfALayer) {
  const auto layer = below("decoder.layers.0.", odd_widths(Mechanism::vanilla));
  EXPECT_THAT(layer,
              IsSupersetOf(std::map<std::string, Shape>{{"fc1.weight", {14, 10}},
                                                        {"fc1.bias", {14}},
                                                        {"fc2.weight", {10, 14}},
                                                        {"fc2.bias", {10}},
                                                        {"self_attn_layer_norm.weight", {10}},
                                                        {"self_attn_layer_norm.bias", {10}},
                                                        {"cross_attn_layer_norm.weight", {10}},
                                                        {"cross_attn_layer_norm.bias", {10}},
                                                        {"ffn_layer_norm.weight", {10}},
                                                        {"ffn_layer_norm.bias", {10}}}));
  EXPECT_EQ(layer.size(), 10u + 2 * 8);
  EXPECT_EQ(below("encoder.layers.0.", odd_widths(Mechanism::vanilla)).size(), 8u + 8);
}

TEST(ExpectedTensors, OnlyPreNormHasANormAfterTheLastLayer) {
  Architecture a = odd_widths(Mechanism::eatt);
  const std::map<std::string, Shape> norm = {{"weight", {10}}, {"bias", {10}}};
  EXPECT_EQ(below("encoder.layer_norm.", a), norm);
  EXPECT_EQ(below("decoder.layer_norm.", a), norm);
  a.norm = NormPlacement::post;
  EXPECT_TRUE(below("encoder.layer_norm.", a).empty());
  EXPECT_TRUE(below("decoder.layer_norm.", a).empty());
}

TEST(ExpectedTensors, SharedEmbeddingsStandOnce) {
  Architecture a = odd_widths(Mechanism::eatt);
  const auto embeddings = [&] {
    std::map<std::string, Shape> found;
    for (const auto& [name, shape] : tensors_of(a)) {
      if (shape.size() == 2 && shape[0] > 20) found[name] = shape;
    }
    return found;
  };
  EXPECT_EQ(embeddings(),
            (std::map<std::string, Shape>{{"encoder.embed_tokens.weight", {21, 10}},
                                          {"decoder.embed_tokens.weight", {23, 10}},
                                          {"decoder.output_projection.weight", {23, 10}}}));
  a.embeddings = EmbeddingSharing::target;
  EXPECT_EQ(embeddings(),
            (std::map<std::string, Shape>{{"encoder.embed_tokens.weight", {21, 10}},
                                          {"decoder.embed_tokens.weight", {23, 10}}}));
  a.embeddings = EmbeddingSharing::all;
  a.source_vocab = 23;
  EXPECT_EQ(embeddings(), (std::map<std::string, Shape>{{"shared.weight", {23, 10}}}));
  EXPECT_EQ(source_embedding_name(a), "shared.weight");
  EXPECT_EQ(target_embedding_name(a), "shared.weight");
}

TEST(ExpectedTensors, ALearnedThresholdIsPerFeatureOfWhatIsBinarised) {
  Architecture a = odd_widths(Mechanism::eatt);
  const auto thresholds = [&] {
    std::set<std::string> names;
    for (const auto& [name, shape] : tensors_of(a)) {
      if (!name.ends_with("threshold")) continue;
      EXPECT_EQ(shape, (Shape{10})) << name;
      names.insert(name);
    }
    return names;
  };
  EXPECT_TRUE(thresholds().empty());
  a.threshold.learned = true;
  EXPECT_THAT(thresholds(), UnorderedElementsAre("encoder.layers.0.self_attn.threshold",
                                                 "decoder.layers.0.self_attn.threshold",
                                                 "decoder.layers.0.cross_attn.q_threshold",
                                                 "decoder.cross_attn.k_threshold"));
  a.cross.layers = {Mechanism::l1};
  a.decoder_self.layers = {Mechanism::vanilla};
  EXPECT_THAT(thresholds(), UnorderedElementsAre("encoder.layers.0.self_attn.threshold"));
}

TEST(ExpectedTensors, ALearnedScaleIsPerHeadAndOnlyWhereThereAreQueries) {
  Architecture a = odd_widths(Mechanism::l1);
  a.cross.scale = {ScaleKind::learned, 8};
  EXPECT_EQ(below("decoder.layers.0.cross_attn.", a).at("score_scale"), (Shape{2}));
  EXPECT_FALSE(below("decoder.layers.0.self_attn.", a).contains("score_scale"));
  a.cross.layers = {Mechanism::dense};
  EXPECT_FALSE(below("decoder.layers.0.cross_attn.", a).contains("score_scale"));
}

TEST(ExpectedTensors, LayersMayDiffer) {
  Architecture a = tiny_architecture();
  a.encoder_self.layers = parse_mechanisms("eatt:1,randinit:2", 2);
  EXPECT_TRUE(below("encoder.layers.0.self_attn.", a).contains("q_proj.weight"));
  EXPECT_TRUE(below("encoder.layers.1.self_attn.", a).contains("score_table"));
  EXPECT_FALSE(below("encoder.layers.1.self_attn.", a).contains("q_proj.weight"));
}

TEST(ParameterCount, OfTransformerBaseWithTiedEmbeddingsIsTheKnownNumber) {
  Architecture a;
  a.source_vocab = a.target_vocab = 32000;
  a.embeddings = EmbeddingSharing::all;
  // Per attention 4·(512² + 512), feed-forward 2·512·2048 + 2048 + 512, a norm 2·512.
  const uint64_t attention = 4 * (512 * 512 + 512), ffn = 2 * 512 * 2048 + 2048 + 512, norm = 1024;
  EXPECT_EQ(parameter_count(a), 32000u * 512 + 6 * (attention + ffn + 2 * norm) +
                                    6 * (2 * attention + ffn + 3 * norm) + 2 * norm);
}

}  // namespace
}  // namespace eatt
