// Queries and keys of eight bits, and the scales of their scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "kernels/selection/selection_int8.h"
#include "quantized.h"
#include "support/int8_numbers.h"

namespace eatt {
namespace {

using testing::odd_widths;
using testing::part_named;
using testing::Quantized;
using testing::RandomBundle;
using testing::tiny_architecture;

Architecture with_divisor(Architecture a, ScoreScale scale) {
  for (Attention* role : {&a.encoder_self, &a.decoder_self, &a.cross}) role->scale = scale;
  return a;
}

TEST(QuantizeScores, EattNumbersTimesTheScaleOfTheHeadAreTheWeights) {
  const Architecture a = with_folded_scales(odd_widths(Mechanism::eatt));
  const Quantized q(a);
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

TEST(QuantizeScores, QueriesAndKeysOfAHeadHaveOneScale) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    const Quantized q(odd_widths(mechanism));
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
std::vector<double> sums_of_float(const Quantized& q, const std::string& projection, size_t head,
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

std::vector<double> sums_of_numbers(const Quantized& q, const Int8Part& part, size_t first,
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
TEST(QuantizeScores, ScoresOfSelectionsNeedNoScaleAnyMore) {
  Random random(5);
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    for (const ScoreScale& scale :
         {ScoreScale{ScaleKind::head_width, 1}, ScoreScale{ScaleKind::fixed, 7},
          ScoreScale{ScaleKind::learned, 4}, ScoreScale{ScaleKind::folded, 1}}) {
      const Architecture a = with_divisor(odd_widths(mechanism), scale);
      const Quantized q(a);
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

TEST(QuantizeScores, SelfAttentionPutsQueriesBeforeKeys) {
  const Architecture a = odd_widths(Mechanism::eatt);
  const Quantized q(a);
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
TEST(QuantizeScores, FoldsScalesIntoProductsAsTheModelDoes) {
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
      const Quantized q(written);
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

TEST(QuantizeScores, NoSelectionCanLeaveSixteenBitsWhateverTheWeights) {
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
  const Quantized q(written);
  for (const Int8Part& part : int8_parts(a)) {
    if (!part.is_selection) continue;
    std::vector<int8_t> numbers;
    for (size_t column = 0; column < part.out; ++column) {
      for (size_t i = 0; i < part.in; ++i) {
        numbers.push_back(static_cast<int8_t>(q.selected(part, column, i)));
      }
    }
    const auto bias = q.tensors.values<int16_t>(part.name + ".bias");
    EXPECT_TRUE(testing::int16_sums_fit(numbers.data(), bias.data(), part.in, part.out))
        << part.name;
  }
  EXPECT_GT(q.scales("decoder.layers.0.cross_attn.q_select")[0], 0.9f / 127 * 2);
}

// What the kernel adds up is the bias and the selected numbers, in both layouts, whatever the
// codes.
TEST(QuantizeScores, SelectionsByTheKernelAreExact) {
  constexpr size_t kRows = 9;
  Architecture a = odd_widths(Mechanism::eatt);
  a.model_dim = 150;  // Two blocks of codes.
  a.qk_dim = 150;     // Two panels for Q and K of self-attention.
  const Quantized q(a);
  Random random(3);
  std::vector<uint64_t> bits(kRows * kernels::code_words(150));
  for (uint64_t& word : bits) word = random.below(UINT64_MAX);
  for (size_t row = 0; row < kRows; ++row) bits[row * 3 + 2] &= (uint64_t{1} << (150 - 128)) - 1;
  std::fill_n(&bits[0], 3, 0);
  std::vector<uint8_t> positions(kernels::code_positions_size(kRows, 150));
  std::vector<uint8_t> counts(kernels::code_counts_size(kRows, 150));
  const auto codes = kernels::code_lists(bits.data(), kRows, 150, positions.data(), counts.data());
  for (const Int8Part& part : int8_parts(a)) {
    if (!part.is_selection) continue;
    const auto bias = q.tensors.values<int16_t>(part.name + ".bias");
    const auto layout = part.layout == SelectionLayout::rows ? kernels::Int8Layout::rows
                                                             : kernels::Int8Layout::panels;
    std::vector<int16_t> sums(kRows * part.out);
    kernels::select_int8(codes, q.tensors.values<uint8_t>(part.name + ".packed").data(),
                         {.layout = layout}, part.out, bias.data(), sums.data(), part.out);
    for (size_t column = 0; column < part.out; ++column) {
      std::vector<double> expected(kRows, bias[column]);
      for (size_t i = 0; i < part.in; ++i) {
        const int number = q.selected(part, column, i);
        for (size_t row = 0; row < kRows; ++row) {
          if (bits[row * 3 + i / 64] >> i % 64 & 1) expected[row] += number;
        }
      }
      for (size_t row = 0; row < kRows; ++row) {
        ASSERT_EQ(sums[row * part.out + column], expected[row]) << part.name << " " << row;
      }
    }
  }
}

}  // namespace
}  // namespace eatt
