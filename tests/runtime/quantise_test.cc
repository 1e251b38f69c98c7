#include "runtime/quantise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "bundle/int8_parts.h"
#include "kernels/selection_int8.h"
#include "runtime/int8_bundle.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::RandomBundle;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;

// Widths that are no multiple of anything: 6 features, 3 heads, 81 outputs of q, k and v.
Architecture odd_widths(Mechanism mechanism) {
  Architecture a = tiny_architecture(mechanism);
  a.model_dim = 6;
  a.heads = 3;
  a.ffn_dim = 70;
  a.attention_dim = 9;
  a.qk_dim = 36;
  a.target_vocab = 130;
  return a;
}

struct Quantised {
  explicit Quantised(RandomBundle& written)
      : bundle(
            (write_bundle(folder / "model", written.contents()), Bundle::open(folder / "model"))),
        tensors(quantise(bundle, &errors)) {}
  explicit Quantised(const Architecture& a) : Quantised(*std::make_unique<RandomBundle>(a)) {}

  std::span<const float> given(const std::string& name) const {
    return bundle.weights().values<float>(name);
  }
  std::span<const float> scales(const std::string& part) const {
    return tensors.values<float>(part + ".scales");
  }

  // The number of a product for output `column` and input i, found in the panels by their
  // description.
  int number(const std::string& part, size_t column, size_t i, size_t in) const {
    const size_t groups = (in + 3) / 4;
    const size_t at = ((column / 64 * groups + i / 4) * 64 + column % 64) * 4 + i % 4;
    return tensors.values<int8_t>(part + ".panels")[at];
  }

  // The same of a selection.
  int selected(const Int8Part& part, size_t column, size_t i) const {
    const size_t padded = (part.out + 63) / 64 * 64;
    const size_t panel = part.layout == SelectionLayout::panels ? 256 : padded;
    const size_t first = column / panel * panel, width = std::min(panel, padded - first);
    const size_t within = column % 64;
    const size_t byte = within < 32 ? 2 * within : 2 * (within - 32) + 1;
    const uint8_t value = tensors.values<uint8_t>(
        part.name + ".packed")[first * part.in + i * width + (column - first - within) + byte];
    return within < 32 ? value - 128 : static_cast<int8_t>(value);
  }

  const TemporaryFolder folder;
  const Bundle bundle;
  std::vector<QuantisationError> errors;
  const NamedTensors tensors;
};

const Int8Part& part_named(const std::vector<Int8Part>& parts, const std::string& name) {
  return *std::ranges::find(parts, name, &Int8Part::name);
}

constexpr std::array kAllMechanisms = {Mechanism::vanilla, Mechanism::eatt,  Mechanism::selection,
                                       Mechanism::l1,      Mechanism::dense, Mechanism::randinit};

TEST(Quantise, GivesExactlyTheTensorsOfTheFormatForEveryMechanism) {
  for (const Mechanism mechanism : kAllMechanisms) {
    const Architecture a = odd_widths(mechanism);
    const Quantised q(a);
    const auto expected = expected_tensors(a, Precision::int8);
    ASSERT_EQ(q.tensors.tensors().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const TensorView& tensor = q.tensors.tensors()[i];
      EXPECT_EQ((TensorSpec{tensor.name, tensor.dtype, tensor.shape}), expected[i]);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.bytes.data()) % 64, 0u) << tensor.name;
    }
  }
}

// Fixed scales of 1 leave weights as they are.
Architecture with_divisor(Architecture a, ScoreScale scale) {
  for (Attention* role : {&a.encoder_self, &a.decoder_self, &a.cross}) role->scale = scale;
  return a;
}

TEST(Quantise, ProductsAreWithinHalfAStepOfTheirSourcesSideBySide) {
  for (const Mechanism mechanism : kAllMechanisms) {
    const Architecture a = with_folded_scales(odd_widths(mechanism));
    const Quantised q(a);
    for (const Int8Part& part : int8_parts(a)) {
      if (part.is_selection) continue;
      size_t row = 0;
      for (const auto& source : part.sources) {
        const auto weight = q.given(source.name + ".weight");
        for (size_t r = 0; r < source.out; ++r, ++row) {
          const double scale = q.scales(part.name)[row];
          for (size_t i = 0; i < part.in; ++i) {
            EXPECT_NEAR(q.number(part.name, row, i, part.in) * scale, weight[r * part.in + i],
                        0.5 * scale * (1 + 1e-5))
                << part.name << " " << row << " " << i;
          }
          if (!part.has_bias) continue;
          EXPECT_EQ(q.tensors.values<float>(part.name + ".bias")[row],
                    q.given(source.name + ".bias")[r]);
        }
      }
      EXPECT_EQ(row, part.out);
    }
  }
}

TEST(Quantise, SumsAreThoseOfTheNumbers) {
  const Architecture a = odd_widths(Mechanism::vanilla);
  const Quantised q(a);
  for (const Int8Part& part : int8_parts(a)) {
    const auto sums = q.tensors.values<int32_t>(part.name + ".sums");
    for (size_t column = 0; column < sums.size(); ++column) {
      int32_t sum = 0;
      for (size_t i = 0; i < part.in; ++i) sum += q.number(part.name, column, i, part.in);
      EXPECT_EQ(sums[column], sum) << part.name << " " << column;
      if (column >= part.out) {
        EXPECT_EQ(sum, 0);
      }
    }
  }
}

TEST(Quantise, NormsThresholdsAndTablesStayAsTheyAre) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::dense, Mechanism::randinit}) {
    Architecture a = odd_widths(mechanism);
    a.threshold.learned = true;
    const Quantised q(a);
    const auto kept = int8_kept_tensors(a);
    EXPECT_GT(kept.size(), 10u);
    for (const TensorSpec& spec : kept) {
      EXPECT_THAT(q.tensors.values<float>(spec.name),
                  ::testing::ElementsAreArray(q.given(spec.name)))
          << spec.name;
    }
  }
}

TEST(Quantise, EattNumbersTimesTheScaleOfTheHeadAreTheWeights) {
  const Architecture a = with_folded_scales(odd_widths(Mechanism::eatt));
  const Quantised q(a);
  for (const Int8Part& part : int8_parts(a)) {
    if (!part.is_selection) continue;
    size_t row = 0;
    for (const auto& source : part.sources) {
      for (size_t r = 0; r < source.out; ++r, ++row) {
        const double scale = q.scales(part.name)[r / 12];
        const double half = 0.5 * scale * (1 + 1e-5);
        for (size_t i = 0; i < part.in; ++i) {
          EXPECT_NEAR(q.selected(part, row, i) * scale,
                      q.given(source.name + ".weight")[r * part.in + i], half);
        }
        EXPECT_NEAR(q.tensors.values<int16_t>(part.name + ".bias")[row] * scale,
                    q.given(source.name + ".bias")[r], half);
      }
    }
  }
}

TEST(Quantise, QueriesAndKeysOfAHeadHaveOneScale) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    const Quantised q(odd_widths(mechanism));
    for (const char* layer : {"decoder.layers.0.", "decoder.layers.1."}) {
      const std::string attention = std::string(layer) + "cross_attn.";
      EXPECT_THAT(q.scales(attention + "q_select"),
                  ::testing::ElementsAreArray(q.scales(attention + "k_select")));
      EXPECT_NE(q.scales(attention + "q_select")[0], q.scales(attention + "q_select")[1]);
    }
  }
}

// Scores of an attention with these Q and K, for a head of some outputs.
double score(Mechanism mechanism, const std::vector<double>& query,
             const std::vector<double>& key) {
  double sum = 0;
  for (size_t i = 0; i < query.size(); ++i) {
    sum += scores_by_distance(mechanism) ? -std::abs(query[i] - key[i]) : query[i] * key[i];
  }
  return sum;
}

// What the selections of head `head` add up to when `codes` are ones.
std::vector<double> sums_of_float(const Quantised& q, const std::string& projection, size_t head,
                                  const std::vector<bool>& codes) {
  std::vector<double> sums;
  for (size_t row = head * 12; row < head * 12 + 12; ++row) {
    double sum = q.given(projection + ".bias")[row];
    for (size_t i = 0; i < 6; ++i) {
      if (codes[i]) sum += q.given(projection + ".weight")[row * 6 + i];
    }
    sums.push_back(sum);
  }
  return sums;
}

std::vector<double> sums_of_numbers(const Quantised& q, const Int8Part& part, size_t first,
                                    size_t head, const std::vector<bool>& codes) {
  std::vector<double> sums;
  for (size_t row = first + head * 12; row < first + head * 12 + 12; ++row) {
    double sum = q.tensors.values<int16_t>(part.name + ".bias")[row];
    for (size_t i = 0; i < 6; ++i) {
      if (codes[i]) sum += q.selected(part, row, i);
    }
    sums.push_back(sum * q.scales(part.name)[head]);
  }
  return sums;
}

// The scores of the float32 model, scale and all, are those of the int8 one without a scale.
TEST(Quantise, ScoresOfSelectionsNeedNoScaleAnyMore) {
  Random random(5);
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    for (const ScoreScale& scale :
         {ScoreScale{ScaleKind::head_width, 1}, ScoreScale{ScaleKind::fixed, 7},
          ScoreScale{ScaleKind::learned, 4}, ScoreScale{ScaleKind::folded, 1}}) {
      const Architecture a = with_divisor(odd_widths(mechanism), scale);
      const Quantised q(a);
      const auto parts = int8_parts(a);
      const std::string attention = "decoder.layers.1.cross_attn.";
      for (size_t head = 0; head < 3; ++head) {
        std::vector<bool> query_codes(6), key_codes(6);
        for (size_t i = 0; i < 6; ++i) query_codes[i] = random.below(2) == 1;
        for (size_t i = 0; i < 6; ++i) key_codes[i] = random.below(2) == 1;
        double factor = 1 / score_divisor(a, Role::cross);
        if (scale.kind == ScaleKind::learned) factor = q.given(attention + "score_scale")[head];
        const double expected =
            factor * score(mechanism, sums_of_float(q, attention + "q_proj", head, query_codes),
                           sums_of_float(q, attention + "k_proj", head, key_codes));
        const double found = score(
            mechanism,
            sums_of_numbers(q, part_named(parts, attention + "q_select"), 0, head, query_codes),
            sums_of_numbers(q, part_named(parts, attention + "k_select"), 0, head, key_codes));
        // Each of 12 terms is off by a few half steps of weights of up to 127 steps.
        EXPECT_NEAR(found, expected, 0.15 * factor) << mechanism_name(mechanism) << " " << head;
      }
    }
  }
}

TEST(Quantise, SelfAttentionPutsQueriesBeforeKeys) {
  const Architecture a = odd_widths(Mechanism::eatt);
  const Quantised q(a);
  const auto parts = int8_parts(a);
  const std::vector<bool> codes = {true, false, true, true, false, true};
  for (const std::string attention :
       {"encoder.layers.1.self_attn.", "decoder.layers.0.self_attn."}) {
    const Int8Part& part = part_named(parts, attention + "qk_select");
    for (size_t head = 0; head < 3; ++head) {
      for (const auto& [projection, first] : {std::pair{"q_proj", 0}, std::pair{"k_proj", 36}}) {
        const auto numbers = sums_of_numbers(q, part, static_cast<size_t>(first), head, codes);
        const auto floats = sums_of_float(q, attention + projection, head, codes);
        for (size_t i = 0; i < 12; ++i) {
          EXPECT_NEAR(numbers[i] * std::sqrt(12), floats[i], 0.02);  // 5 half steps.
        }
      }
    }
  }
}

// The factor of each head goes into Q, and into K where scores are distances.
TEST(Quantise, FoldsScalesIntoProductsAsTheModelDoes) {
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::l1}) {
    for (const ScoreScale& scale :
         {ScoreScale{ScaleKind::head_width, 1}, ScoreScale{ScaleKind::fixed, 7},
          ScoreScale{ScaleKind::learned, 4}}) {
      const Architecture a = with_divisor(odd_widths(mechanism), scale);
      RandomBundle written(a);
      const std::string attention = "encoder.layers.0.self_attn.";
      float least = 1e-9f;  // A learned factor below the least that is used.
      std::vector<float> learned = {0.5f, least, 2.0f};
      for (TensorView& tensor : written.contents().tensors) {
        if (tensor.name == attention + "score_scale")
          tensor.bytes = std::as_bytes(std::span(learned));
      }
      const Quantised q(written);
      const auto bias = q.tensors.values<float>(attention + "qkv_proj.bias");
      const auto scales = q.scales(attention + "qkv_proj");
      const auto expect_rows = [&](const char* name, size_t first, size_t rows, bool folded) {
        const auto weight = q.given(attention + name + ".weight");
        for (size_t r = 0; r < rows; ++r) {
          double factor = 1;
          if (folded) factor = scale.kind == ScaleKind::fixed ? 1 / 7.0 : 1 / std::sqrt(12.0);
          if (folded && scale.kind == ScaleKind::learned) {
            factor = std::array{0.5, kLeastScoreScale, 2.0}[r / 12];
          }
          double most = 0;
          for (size_t i = 0; i < 6; ++i) most = std::max<double>(most, std::abs(weight[r * 6 + i]));
          EXPECT_NEAR(scales[first + r], factor * most / 127, 1e-6 * factor * most / 127);
          const double expected = factor * q.given(attention + name + ".bias")[r];
          EXPECT_NEAR(bias[first + r], expected, 1e-6 * std::abs(expected)) << name << " " << r;
        }
      };
      expect_rows("q_proj", 0, 36, true);
      expect_rows("k_proj", 36, 36, mechanism == Mechanism::l1);
      expect_rows("v_proj", 72, 9, false);
    }
  }
}

TEST(Quantise, NoSelectionCanLeaveSixteenBitsWhateverTheWeights) {
  Architecture a = tiny_architecture(Mechanism::eatt);
  a.model_dim = 600;
  RandomBundle written(with_folded_scales(a));
  std::vector<float> ones(8 * 600, 0.9f), biases = {90, -90, 0, 1, 2, 3, 4, 5};
  for (TensorView& tensor : written.contents().tensors) {
    if (tensor.name.ends_with("cross_attn.k_proj.weight"))
      tensor.bytes = std::as_bytes(std::span(ones));
    if (tensor.name.ends_with("cross_attn.q_proj.bias"))
      tensor.bytes = std::as_bytes(std::span(biases));
  }
  const Quantised q(written);
  for (const Int8Part& part : int8_parts(a)) {
    if (!part.is_selection) continue;
    std::vector<int8_t> numbers;
    for (size_t column = 0; column < part.out; ++column) {
      for (size_t i = 0; i < part.in; ++i) {
        numbers.push_back(static_cast<int8_t>(q.selected(part, column, i)));
      }
    }
    const auto bias = q.tensors.values<int16_t>(part.name + ".bias");
    EXPECT_TRUE(kernels::int16_sums_fit(numbers.data(), bias.data(), part.in, part.out))
        << part.name;
  }
  EXPECT_GT(q.scales("decoder.layers.0.cross_attn.q_select")[0], 0.9f / 127 * 2);
}

TEST(Quantise, ErrorsAreThoseOfTheNumbers) {
  const Architecture a = with_folded_scales(odd_widths(Mechanism::eatt));
  const Quantised q(a);
  const auto parts = int8_parts(a);
  ASSERT_EQ(q.errors.size(), parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    EXPECT_EQ(q.errors[p].name, parts[p].name);
    EXPECT_GT(q.errors[p].relative(), 1e-4);
    EXPECT_LT(q.errors[p].relative(), 0.01);  // Half a step of 1/127, weights spread evenly.
  }
  const auto weight = q.given("encoder.layers.0.fc1.weight");
  double errors = 0, weights = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    const double scale = q.scales("encoder.layers.0.fc1")[i / 6];
    errors += std::pow(weight[i] - scale * q.number("encoder.layers.0.fc1", i / 6, i % 6, 6), 2);
    weights += std::pow(weight[i], 2);
  }
  const auto found = std::ranges::find(q.errors, "encoder.layers.0.fc1", &QuantisationError::name);
  EXPECT_NEAR(found->relative(), std::sqrt(errors / weights), 1e-5 * found->relative());
}

TEST(Quantise, TheNumberOfThreadsDoesNotMatter) {
  Architecture a = odd_widths(Mechanism::eatt);
  a.ffn_dim = 50000;  // Several pieces of work for one matrix.
  set_thread_count(1);
  const Quantised one(a);
  set_thread_count(3);
  const Quantised three(a);
  set_thread_count(0);
  for (const TensorView& tensor : one.tensors.tensors()) {
    EXPECT_TRUE(std::ranges::equal(tensor.bytes, three.tensors.find(tensor.name)->bytes))
        << tensor.name;
  }
}

TEST(Quantise, AValueThatIsNotFiniteIsAnErrorThatNamesTheTensor) {
  for (const char* name : {"decoder.layers.1.fc2.weight", "encoder.layers.0.self_attn.k_proj.bias",
                           "encoder.layer_norm.bias"}) {
    RandomBundle written(tiny_architecture());
    std::vector<float> bad;
    for (TensorView& tensor : written.contents().tensors) {
      if (tensor.name != name) continue;
      bad.assign(tensor.bytes.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
      tensor.bytes = std::as_bytes(std::span(bad));
    }
    EXPECT_THAT([&] { Quantised{written}; },
                ThrowsMessage<Error>(AllOf(HasSubstr(name), HasSubstr("no finite number"))));
  }
}

TEST(Int8BundleWriter, WhatIsWrittenOpensAndCannotBeQuantisedAgain) {
  const Quantised q(tiny_architecture());
  const fs::path path = q.folder / "int8";
  GoldenPair golden = *q.bundle.manifest().golden;
  golden.score = -2;
  write_int8_bundle(path, q.bundle, q.tensors, golden);
  const Bundle read = Bundle::open(path);
  EXPECT_EQ(read.manifest().precision, Precision::int8);
  EXPECT_EQ(read.architecture(), with_folded_scales(tiny_architecture()));
  EXPECT_EQ(read.manifest().golden, golden);
  EXPECT_EQ(read.source_piece_model(), q.bundle.source_piece_model());
  EXPECT_EQ(read.target_piece_model(), q.bundle.target_piece_model());
  EXPECT_EQ(read.training_toml(), "seed = 1\n");
  EXPECT_EQ(read.results_json(), q.bundle.results_json());
  EXPECT_EQ(read.manifest().made.at("program"), "tiny_bundle");
  EXPECT_THAT(read.manifest().made.at("quantized"), HasSubstr("int8, from weights of SHA-256 "));
  EXPECT_THAT([&] { quantise(read); },
              ThrowsMessage<Error>(HasSubstr("is an int8 bundle already; give the float32 one")));
}

}  // namespace
}  // namespace eatt
