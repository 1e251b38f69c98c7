#include "bundle/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;

const JsonOrigin kOrigin{"config.json", "export it again"};

Architecture read(const nlohmann::json& json) {
  return read_architecture(JsonNode(json, kOrigin, "architecture"), kOrigin);
}

nlohmann::json json_of(const Architecture& architecture) {
  return nlohmann::json::parse(print_architecture(architecture).dump());
}

TEST(Architecture, ThePaperPresetIsTransformerBaseWithThePapersAttention) {
  Architecture a;
  apply_preset(Preset::paper, a);
  EXPECT_EQ(a.model_dim, 512);
  EXPECT_EQ(a.ffn_dim, 2048);
  EXPECT_EQ(a.encoder_layers(), 6);
  EXPECT_EQ(a.decoder_layers(), 6);
  EXPECT_EQ(a.qk_dim, 512);
  EXPECT_EQ(a.threshold, (Threshold{.learned = false, .value = 1.0}));
  EXPECT_DOUBLE_EQ(score_divisor(a, Role::encoder_self), 8);  // √64
  EXPECT_DOUBLE_EQ(score_divisor(a, Role::cross), 8);
  for (const Role role : {Role::encoder_self, Role::decoder_self, Role::cross}) {
    EXPECT_THAT(a.attention(role).layers, Each(Mechanism::eatt));
  }
}

TEST(Architecture, TheReleasedPresetHasTheReleasedFilesWidthsAndScales) {
  Architecture a = tiny_architecture(Mechanism::vanilla);
  a.model_dim = 512;
  a.heads = 8;
  apply_preset(Preset::released, a);
  EXPECT_EQ(a.qk_dim, 64);
  EXPECT_EQ(a.attention_dim, 512);
  EXPECT_EQ(a.threshold.value, 0.0);
  EXPECT_EQ(a.norm_epsilon, 1e-6);
  EXPECT_DOUBLE_EQ(score_divisor(a, Role::decoder_self), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(score_divisor(a, Role::cross), 8);  // √64
  EXPECT_EQ(a.encoder_layers(), 2);
  EXPECT_THAT(a.cross.layers, Each(Mechanism::eatt));
  EXPECT_NO_THROW(validate(a, "architecture"));
}

TEST(Architecture, AFoldedOrLearnedScaleLeavesNothingToDivideBy) {
  Architecture a = tiny_architecture();
  a.cross.scale = {ScaleKind::folded, 1};
  a.encoder_self.scale = {ScaleKind::learned, 4};
  EXPECT_EQ(score_divisor(a, Role::cross), 1);
  EXPECT_EQ(score_divisor(a, Role::encoder_self), 1);
}

TEST(Architecture, OnlyDenseAndRandinitLimitTheLength) {
  Architecture a = tiny_architecture();
  EXPECT_FALSE(has_length_limit(a));
  a.cross.layers[1] = Mechanism::randinit;
  EXPECT_TRUE(has_length_limit(a));
}

TEST(Architecture, ContradictionsAreNamedByField) {
  const auto expect_refused = [](void (*change)(Architecture&), const std::string& message) {
    Architecture a = tiny_architecture();
    change(a);
    EXPECT_THAT([&] { validate(a, "config.json: architecture"); },
                ThrowsMessage<Error>(StartsWith("config.json: architecture." + message)));
  };
  expect_refused([](Architecture& a) { a.heads = 0; },
                 "heads: found 0, expected an integer from 1 to 1024");
  expect_refused([](Architecture& a) { a.source_vocab = 0; }, "source_vocab: found 0, expected");
  expect_refused([](Architecture& a) { a.heads = 3; },
                 "attention_dim: found 8, expected a multiple of heads, 3");
  expect_refused([](Architecture& a) { a.qk_dim = 7; },
                 "qk_dim: found 7, expected a multiple of heads, 2");
  expect_refused([](Architecture& a) { a.model_dim = 9; }, "model_dim: found 9, expected an even");
  expect_refused([](Architecture& a) { a.encoder_self.layers.clear(); },
                 "encoder.layers: found 0, expected an integer from 1 to 1000");
  expect_refused([](Architecture& a) { a.cross.layers.pop_back(); },
                 "decoder.cross_attention.mechanisms: found 1 layers, expected 2");
  expect_refused([](Architecture& a) { a.norm_epsilon = 0; }, "norm.epsilon: found 0, expected");
  expect_refused([](Architecture& a) { a.threshold.value = NAN; },
                 "threshold.value: found nan, expected");
  expect_refused(
      [](Architecture& a) {
        a.cross.scale = {ScaleKind::fixed, 0};
      },
      "decoder.cross_attention.score_scale.divisor: found 0, expected");
  expect_refused([](Architecture& a) { a.embeddings = EmbeddingSharing::all; },
                 "embeddings: found \"all\" with vocabularies of 40 and 50, expected");
}

TEST(ArchitectureJson, EveryFieldReadsBack) {
  Architecture a = tiny_architecture();
  EXPECT_EQ(read(json_of(a)), a);
  a.model_dim = 10;
  a.heads = 3;
  a.ffn_dim = 7;
  a.attention_dim = 9;
  a.qk_dim = 6;
  a.max_length = 77;
  a.source_vocab = a.target_vocab = 1000;
  a.encoder_self.layers = {Mechanism::l1, Mechanism::dense, Mechanism::randinit};
  a.decoder_self.layers = {Mechanism::selection};
  a.cross.layers = {Mechanism::vanilla};
  a.encoder_self.scale = {ScaleKind::learned, 0.1};
  a.decoder_self.scale = {ScaleKind::fixed, std::sqrt(2.0)};
  a.cross.scale = {ScaleKind::folded, 1};
  a.threshold = {.learned = true, .value = -0.3};
  a.norm = NormPlacement::post;
  a.norm_epsilon = 1e-6;
  a.embeddings = EmbeddingSharing::all;
  EXPECT_EQ(read(json_of(a)), a);
  a.embeddings = EmbeddingSharing::target;
  EXPECT_EQ(read(json_of(a)), a);
}

TEST(ArchitectureJson, AWrongValueIsNamedByItsPath) {
  const auto expect_refused = [](const char* pointer, const nlohmann::json& value,
                                 const std::string& message) {
    nlohmann::json json = json_of(tiny_architecture());
    json[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THAT([&] { read(json); },
                ThrowsMessage<Error>(StartsWith("config.json: architecture" + message)));
  };
  expect_refused("/encoder/layers", "six",
                 ".encoder.layers: found \"six\", expected an integer from 1 to 1000");
  expect_refused(
      "/encoder/layers", 3,
      ".encoder.self_attention.mechanisms: found an array of length 2, expected one name "
      "for each of the 3 layers");
  expect_refused("/heads", 2.5, ".heads: found 2.5, expected an integer from 1 to 1024");
  expect_refused("/heads", -1, ".heads: found -1, expected");
  expect_refused("/model_dim", 1e6, ".model_dim: found 1000000.0, expected");
  expect_refused("/model_dim", 70000, ".model_dim: found 70000, expected an integer from 1 to");
  expect_refused("/decoder/self_attention/mechanisms/1", "eat",
                 ".decoder.self_attention.mechanisms[1]: found \"eat\", expected one of vanilla,");
  expect_refused("/decoder/cross_attention/score_scale/kind", "none",
                 ".decoder.cross_attention.score_scale.kind: found \"none\", expected one of");
  expect_refused("/decoder/cross_attention/score_scale/kind", "fixed",
                 ".decoder.cross_attention.score_scale.divisor: is missing");
  expect_refused("/threshold/value", "1", ".threshold.value: found \"1\", expected a number");
  expect_refused("/norm", nullptr, ".norm: found null, expected an object");
  expect_refused("/embeddings", "both", ".embeddings: found \"both\", expected one of none,");
  expect_refused("/qk_dim", 7, ".qk_dim: found 7, expected a multiple of heads, 2");
}

TEST(ArchitectureJson, AnUnknownKeyIsRefusedSinceItWouldChangeTheMeaning) {
  for (const char* pointer :
       {"/rotary", "/encoder/rotary", "/decoder/self_attention/rotary", "/threshold/rotary",
        "/norm/rotary", "/encoder/self_attention/score_scale/rotary"}) {
    nlohmann::json json = json_of(tiny_architecture());
    json[nlohmann::json::json_pointer(pointer)] = true;
    EXPECT_THAT([&] { read(json); },
                ThrowsMessage<Error>(HasSubstr("rotary: is a key that this version does not know")))
        << pointer;
  }
}

TEST(ArchitectureJson, AMissingKeyIsNamed) {
  for (const char* key : {"model_dim", "encoder", "decoder", "threshold", "norm", "embeddings"}) {
    nlohmann::json json = json_of(tiny_architecture());
    json.erase(key);
    EXPECT_THAT(
        [&] { read(json); },
        ThrowsMessage<Error>(HasSubstr("architecture." + std::string(key) + ": is missing")));
  }
}

}  // namespace
}  // namespace eatt
