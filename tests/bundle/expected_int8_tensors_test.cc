#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "bundle/expected_tensors.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

using testing::tiny_architecture;
using ::testing::UnorderedElementsAre;

// "I8 [1, 3, 64, 4]" by name.
using Specs = std::map<std::string, std::string>;

// Names and types below `prefix`.
Specs below(const std::string& prefix, const Architecture& architecture) {
  Specs found;
  for (const TensorSpec& spec : expected_tensors(architecture, Precision::int8)) {
    if (!spec.name.starts_with(prefix)) continue;
    const std::string type = std::string(dtype_name(spec.dtype)) + " " + shape_text(spec.shape);
    EXPECT_TRUE(found.emplace(spec.name.substr(prefix.size()), type).second) << spec.name;
  }
  return found;
}

// One layer per side; every width another number, so that a swapped one shows. 2·qk_dim is above
// the 64 columns of a panel, attention_dim is not.
Architecture odd_widths(Mechanism mechanism) {
  Architecture a = tiny_architecture();
  a.model_dim = 10;
  a.heads = 2;
  a.ffn_dim = 70;
  a.attention_dim = 6;
  a.qk_dim = 36;
  a.max_length = 9;
  a.source_vocab = 21;
  a.target_vocab = 130;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    attention->layers = {mechanism};
  }
  return a;
}

Specs with_values(Specs specs) {
  specs.merge(Specs{{"v_proj.panels", "I8 [1, 3, 64, 4]"},
                    {"v_proj.sums", "I32 [64]"},
                    {"v_proj.scales", "F32 [6]"},
                    {"v_proj.bias", "F32 [6]"}});
  return specs;
}

Specs with_output(Specs specs) {
  specs.merge(Specs{{"out_proj.panels", "I8 [1, 2, 64, 4]"},
                    {"out_proj.sums", "I32 [64]"},
                    {"out_proj.scales", "F32 [10]"},
                    {"out_proj.bias", "F32 [10]"}});
  return specs;
}

TEST(ExpectedInt8Tensors, VanillaAndL1HaveOneProductPerInput) {
  const Specs self = with_output({{"qkv_proj.panels", "I8 [2, 3, 64, 4]"},
                                  {"qkv_proj.sums", "I32 [128]"},
                                  {"qkv_proj.scales", "F32 [78]"},
                                  {"qkv_proj.bias", "F32 [78]"}});
  const Specs cross = with_output({{"q_proj.panels", "I8 [1, 3, 64, 4]"},
                                   {"q_proj.sums", "I32 [64]"},
                                   {"q_proj.scales", "F32 [36]"},
                                   {"q_proj.bias", "F32 [36]"},
                                   {"kv_proj.panels", "I8 [1, 3, 64, 4]"},
                                   {"kv_proj.sums", "I32 [64]"},
                                   {"kv_proj.scales", "F32 [42]"},
                                   {"kv_proj.bias", "F32 [42]"}});
  for (const Mechanism m : {Mechanism::vanilla, Mechanism::l1}) {
    EXPECT_EQ(below("encoder.layers.0.self_attn.", odd_widths(m)), self) << mechanism_name(m);
    EXPECT_EQ(below("decoder.layers.0.self_attn.", odd_widths(m)), self) << mechanism_name(m);
    EXPECT_EQ(below("decoder.layers.0.cross_attn.", odd_widths(m)), cross) << mechanism_name(m);
  }
}

TEST(ExpectedInt8Tensors, EattAndSelectionHaveSelectionsWithAScalePerHead) {
  const Specs self = with_output(with_values({{"qk_select.packed", "U8 [1280]"},
                                              {"qk_select.bias", "I16 [72]"},
                                              {"qk_select.scales", "F32 [2]"}}));
  const Specs cross = with_output(with_values({{"q_select.packed", "U8 [640]"},
                                               {"q_select.bias", "I16 [36]"},
                                               {"q_select.scales", "F32 [2]"},
                                               {"k_select.packed", "U8 [640]"},
                                               {"k_select.bias", "I16 [36]"},
                                               {"k_select.scales", "F32 [2]"}}));
  for (const Mechanism m : {Mechanism::eatt, Mechanism::selection}) {
    EXPECT_EQ(below("encoder.layers.0.self_attn.", odd_widths(m)), self) << mechanism_name(m);
    EXPECT_EQ(below("decoder.layers.0.self_attn.", odd_widths(m)), self) << mechanism_name(m);
    EXPECT_EQ(below("decoder.layers.0.cross_attn.", odd_widths(m)), cross) << mechanism_name(m);
  }
}

TEST(ExpectedInt8Tensors, DenseAndRandinitKeepTheirTablesOfPositions) {
  const Specs dense = with_output(with_values({{"w1.panels", "I8 [1, 3, 64, 4]"},
                                               {"w1.sums", "I32 [64]"},
                                               {"w1.scales", "F32 [36]"},
                                               {"w2.weight", "F32 [2, 9, 18]"}}));
  const Specs randinit = with_output(with_values({{"score_table", "F32 [2, 9, 9]"}}));
  for (const char* prefix : {"encoder.layers.0.self_attn.", "decoder.layers.0.self_attn.",
                             "decoder.layers.0.cross_attn."}) {
    EXPECT_EQ(below(prefix, odd_widths(Mechanism::dense)), dense) << prefix;
    EXPECT_EQ(below(prefix, odd_widths(Mechanism::randinit)), randinit) << prefix;
  }
}

TEST(ExpectedInt8Tensors, AFeedForwardBlockIsTwoProductsAndNormsStay) {
  EXPECT_EQ(below("encoder.layers.0.f", odd_widths(Mechanism::randinit)),
            (Specs{{"c1.panels", "I8 [2, 3, 64, 4]"},
                   {"c1.sums", "I32 [128]"},
                   {"c1.scales", "F32 [70]"},
                   {"c1.bias", "F32 [70]"},
                   {"c2.panels", "I8 [1, 18, 64, 4]"},
                   {"c2.sums", "I32 [64]"},
                   {"c2.scales", "F32 [10]"},
                   {"c2.bias", "F32 [10]"},
                   {"fn_layer_norm.weight", "F32 [10]"},
                   {"fn_layer_norm.bias", "F32 [10]"}}));
  EXPECT_EQ(below("decoder.layer_norm.", odd_widths(Mechanism::eatt)),
            (Specs{{"weight", "F32 [10]"}, {"bias", "F32 [10]"}}));
}

TEST(ExpectedInt8Tensors, EmbeddingsAreProductsWithoutABias) {
  Architecture a = odd_widths(Mechanism::eatt);
  const Specs source = {
      {"panels", "I8 [1, 3, 64, 4]"}, {"sums", "I32 [64]"}, {"scales", "F32 [21]"}};
  const Specs target = {
      {"panels", "I8 [3, 3, 64, 4]"}, {"sums", "I32 [192]"}, {"scales", "F32 [130]"}};
  EXPECT_EQ(below("encoder.embed_tokens.", a), source);
  EXPECT_EQ(below("decoder.embed_tokens.", a), target);
  EXPECT_EQ(below("decoder.output_projection.", a), target);
  a.embeddings = EmbeddingSharing::target;
  EXPECT_EQ(below("decoder.embed_tokens.", a), target);
  EXPECT_TRUE(below("decoder.output_projection.", a).empty());
  a.embeddings = EmbeddingSharing::all;
  a.source_vocab = 130;
  EXPECT_EQ(below("shared.", a), target);
  EXPECT_TRUE(below("encoder.embed_tokens.", a).empty());
}

TEST(ExpectedInt8Tensors, ThresholdsStayAndScalesOfScoresDoNot) {
  Architecture a = odd_widths(Mechanism::eatt);
  a.threshold.learned = true;
  for (Attention* role : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    role->scale = {ScaleKind::learned, 8};
  }
  std::set<std::string> thresholds;
  for (const TensorSpec& spec : expected_tensors(a, Precision::int8)) {
    EXPECT_FALSE(spec.name.ends_with("score_scale"));
    if (spec.name.ends_with("threshold")) thresholds.insert(spec.name);
  }
  EXPECT_THAT(thresholds, UnorderedElementsAre("encoder.layers.0.self_attn.threshold",
                                               "decoder.layers.0.self_attn.threshold",
                                               "decoder.layers.0.cross_attn.q_threshold",
                                               "decoder.cross_attn.k_threshold"));
}

TEST(ExpectedInt8Tensors, LayersMayDiffer) {
  Architecture a = tiny_architecture();
  a.encoder_self.layers = parse_mechanisms("eatt:1,vanilla:2", 2);
  a.cross.layers = parse_mechanisms("l1:1,selection:2", 2);
  EXPECT_TRUE(below("encoder.layers.0.self_attn.", a).contains("qk_select.packed"));
  EXPECT_TRUE(below("encoder.layers.1.self_attn.", a).contains("qkv_proj.panels"));
  EXPECT_TRUE(below("decoder.layers.0.cross_attn.", a).contains("kv_proj.panels"));
  EXPECT_TRUE(below("decoder.layers.1.cross_attn.", a).contains("k_select.packed"));
  EXPECT_FALSE(below("decoder.layers.1.cross_attn.", a).contains("kv_proj.panels"));
}

TEST(ExpectedInt8Tensors, TheOtherPrecisionIsTheListWithoutOne) {
  const Architecture a = tiny_architecture();
  EXPECT_EQ(expected_tensors(a, Precision::float32), expected_tensors(a));
}

TEST(Int8Parts, EveryFloatTensorIsKeptOrInOnePart) {
  for (const Mechanism m : {Mechanism::vanilla, Mechanism::eatt, Mechanism::selection,
                            Mechanism::l1, Mechanism::dense, Mechanism::randinit}) {
    const Architecture a = with_folded_scales(odd_widths(m));
    std::multiset<std::string> covered;
    for (const TensorSpec& kept : int8_kept_tensors(a)) covered.insert(kept.name);
    for (const Int8Part& part : int8_parts(a)) {
      for (const Int8Part::Source& source : part.sources) {
        covered.insert(source.name + ".weight");
        if (part.has_bias) covered.insert(source.name + ".bias");
      }
    }
    std::multiset<std::string> all;
    for (const TensorSpec& spec : expected_tensors(a)) all.insert(spec.name);
    EXPECT_EQ(covered, all) << mechanism_name(m);
  }
}

TEST(Int8Parts, WhatGrowsPieceByPieceLiesInRows) {
  std::map<std::string, SelectionLayout> layouts;
  for (const Int8Part& part : int8_parts(odd_widths(Mechanism::eatt))) {
    if (part.is_selection) layouts[part.name] = part.layout;
  }
  EXPECT_EQ(layouts, (std::map<std::string, SelectionLayout>{
                         {"encoder.layers.0.self_attn.qk_select", SelectionLayout::panels},
                         {"decoder.layers.0.self_attn.qk_select", SelectionLayout::rows},
                         {"decoder.layers.0.cross_attn.q_select", SelectionLayout::rows},
                         {"decoder.layers.0.cross_attn.k_select", SelectionLayout::panels}}));
}

}  // namespace
}  // namespace eatt
