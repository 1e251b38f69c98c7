#include "trace/plain_model.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "runtime/layers/model.h"
#include "runtime/quantized.h"

namespace eatt::trace {
namespace {

using testing::kAllMechanisms;
using testing::odd_widths;
using testing::Quantized;

const PlainAttention& attention_named(const PlainModel& model, const std::string& name) {
  return *std::ranges::find(model.attentions, name, &PlainAttention::name);
}

Model int8_model(const Quantized& quantized) {
  return make_int8_model(quantized.bundle.architecture(),
                         [&](std::string_view name) { return *quantized.tensors.find(name); });
}

TEST(PlainModel, HasTheNumbersOfEveryProductOfEveryMechanism) {
  for (const Mechanism mechanism : kAllMechanisms) {
    const Quantized quantized(odd_widths(mechanism));
    const Model model = int8_model(quantized);
    const PlainModel plain(model);
    auto parts = int8_parts(quantized.bundle.architecture());
    std::erase_if(parts, [](const Int8Part& part) {
      return part.is_selection || part.name.ends_with("embed_tokens");
    });
    ASSERT_EQ(plain.products.size(), parts.size()) << mechanism_name(mechanism);
    for (const PlainProduct& product : plain.products) {
      const Int8Part& part = testing::part_named(parts, product.name);
      ASSERT_EQ(product.in, part.in) << product.name;
      ASSERT_EQ(product.out, part.out) << product.name;
      for (size_t o = 0; o < part.out; ++o) {
        EXPECT_EQ(product.scales[o], quantized.scales(part.name)[o]);
        for (size_t i = 0; i < part.in; ++i) {
          EXPECT_EQ(product.weight[o * part.in + i], quantized.number(part.name, o, i, part.in));
        }
      }
      EXPECT_EQ(!product.bias.empty(), part.has_bias) << product.name;
    }
  }
}

TEST(PlainModel, HasEveryNormAndTheEmbeddingsThatAreNotTheOutputLayer) {
  Architecture a = odd_widths(Mechanism::eatt);
  const auto names = [](const auto& parts) {
    std::vector<std::string> found;
    for (const auto& part : parts) found.push_back(part.name);
    return found;
  };
  a.embeddings = EmbeddingSharing::none;
  const Quantized none(a);
  const Model model = int8_model(none);
  const PlainModel plain(model);
  EXPECT_THAT(names(plain.embeddings),
              ::testing::ElementsAre("encoder.embed_tokens", "decoder.embed_tokens"));
  const size_t width = a.model_dim;
  EXPECT_EQ(plain.embeddings[1].weight[3 * width + 1],
            none.number("decoder.embed_tokens", 3, 1, width));
  EXPECT_EQ(plain.embeddings[1].scales[3], none.scales("decoder.embed_tokens")[3]);
  EXPECT_EQ(plain.sub_layers.front().norm_name, "encoder.layers.0.self_attn_layer_norm");
  EXPECT_EQ(plain.sub_layers.back().norm_name, "decoder.layer_norm");

  a.embeddings = EmbeddingSharing::target;
  a.norm = NormPlacement::post;
  const Quantized target(a);
  const Model post_norm = int8_model(target);
  EXPECT_EQ(PlainModel(post_norm).sub_layers.back().name, "decoder.layers.1.ffn");
  EXPECT_THAT(names(PlainModel(post_norm).embeddings),
              ::testing::ElementsAre("encoder.embed_tokens"));
}

TEST(PlainModel, SplitsSelectionsIntoQueriesAndKeys) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    const Quantized quantized(odd_widths(mechanism));
    const Model model = int8_model(quantized);
    const PlainModel plain(model);
    const auto parts = int8_parts(quantized.bundle.architecture());
    const auto expect_rows = [&](const std::string& name, size_t first,
                                 const PlainSelection& selection) {
      const Int8Part& part = testing::part_named(parts, name);
      ASSERT_EQ(selection.bias.size(), 36u);
      for (size_t o = 0; o < 36; ++o) {
        EXPECT_EQ(selection.bias[o], quantized.tensors.values<int16_t>(name + ".bias")[first + o]);
        for (size_t i = 0; i < part.in; ++i) {
          EXPECT_EQ(selection.weight[o * part.in + i], quantized.selected(part, first + o, i));
        }
      }
    };
    for (const std::string name : {"encoder.layers.1.self_attn", "decoder.layers.0.self_attn"}) {
      expect_rows(name + ".qk_select", 0, *attention_named(plain, name).query);
      expect_rows(name + ".qk_select", 36, *attention_named(plain, name).key);
    }
    const std::string cross = "decoder.layers.1.cross_attn";
    expect_rows(cross + ".q_select", 0, *attention_named(plain, cross).query);
    expect_rows(cross + ".k_select", 0, *attention_named(plain, cross).key);
    EXPECT_THAT(attention_named(plain, cross).units,
                ::testing::ElementsAreArray(quantized.scales(cross + ".q_select")));
  }
}

TEST(PlainModel, ThresholdsAreOnePerFeatureWhetherFixedOrLearned) {
  Architecture a = odd_widths(Mechanism::eatt);
  a.threshold.value = 0.25;
  const Quantized fixed(a);
  const Model fixed_model = int8_model(fixed);
  EXPECT_THAT(PlainModel(fixed_model).memory_threshold,
              ::testing::ElementsAre(0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f));
  a.threshold.learned = true;
  const Quantized learned(a);
  const Model learned_model = int8_model(learned);
  const PlainModel plain(learned_model);
  EXPECT_THAT(plain.memory_threshold,
              ::testing::ElementsAreArray(learned.given("decoder.cross_attn.k_threshold")));
  const std::string cross = "decoder.layers.0.cross_attn";
  EXPECT_THAT(attention_named(plain, cross).threshold,
              ::testing::ElementsAreArray(learned.given(cross + ".q_threshold")));
}

TEST(PlainModel, RefusesModelsWithoutExactIntegers) {
  const testing::TemporaryFolder folder;
  const auto load = [&](const Architecture& a, Precision precision) {
    return load_model(Bundle::open(testing::write_random_bundle(folder / "model", a)), precision);
  };
  Architecture a = testing::tiny_architecture();
  const Model floats = load(a, Precision::float32);
  EXPECT_THROW(PlainModel{floats}, Error);
  a.qk_dim = 2 * 257;
  const Model wide = load(a, Precision::int8);
  EXPECT_THROW(PlainModel{wide}, Error);
  // The decoder's distances are exact at any width.
  a.encoder_self.layers.assign(2, Mechanism::vanilla);
  const Model wide_decoder = load(a, Precision::int8);
  EXPECT_NO_THROW(PlainModel{wide_decoder});
}

}  // namespace
}  // namespace eatt::trace
