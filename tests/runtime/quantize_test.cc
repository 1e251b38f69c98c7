#include "runtime/int8/quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "quantized.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kAllMechanisms;
using testing::odd_widths;
using testing::Quantized;
using testing::RandomBundle;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;

TEST(Quantize, GivesExactlyTheTensorsOfTheFormatForEveryMechanism) {
  for (const Mechanism mechanism : kAllMechanisms) {
    const Architecture a = odd_widths(mechanism);
    const Quantized q(a);
    const auto expected = expected_tensors(a, Precision::int8);
    ASSERT_EQ(q.tensors.tensors().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const TensorView& tensor = q.tensors.tensors()[i];
      EXPECT_EQ((TensorSpec{tensor.name, tensor.dtype, tensor.shape}), expected[i]);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.bytes.data()) % 64, 0u) << tensor.name;
    }
  }
}

TEST(Quantize, ProductsAreWithinHalfAStepOfTheirSourcesSideBySide) {
  for (const Mechanism mechanism : kAllMechanisms) {
    const Architecture a = with_folded_scales(odd_widths(mechanism));
    const Quantized q(a);
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

TEST(Quantize, SumsAreThoseOfTheNumbers) {
  const Architecture a = odd_widths(Mechanism::vanilla);
  const Quantized q(a);
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

TEST(Quantize, NormsThresholdsAndTablesStayAsTheyAre) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::dense, Mechanism::randinit}) {
    Architecture a = odd_widths(mechanism);
    a.threshold.learned = true;
    const Quantized q(a);
    const auto kept = int8_kept_tensors(a);
    EXPECT_GT(kept.size(), 10u);
    for (const TensorSpec& spec : kept) {
      EXPECT_THAT(q.tensors.values<float>(spec.name),
                  ::testing::ElementsAreArray(q.given(spec.name)))
          << spec.name;
    }
  }
}

TEST(Quantize, ErrorsAreThoseOfTheNumbers) {
  const Architecture a = with_folded_scales(odd_widths(Mechanism::eatt));
  const Quantized q(a);
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
  const auto found = std::ranges::find(q.errors, "encoder.layers.0.fc1", &QuantizationError::name);
  EXPECT_NEAR(found->relative(), std::sqrt(errors / weights), 1e-5 * found->relative());
}

TEST(Quantize, TheNumberOfThreadsDoesNotMatter) {
  Architecture a = odd_widths(Mechanism::eatt);
  a.ffn_dim = 50000;  // Several pieces of work for one matrix.
  set_thread_count(1);
  const Quantized one(a);
  set_thread_count(3);
  const Quantized three(a);
  set_thread_count(0);
  for (const TensorView& tensor : one.tensors.tensors()) {
    EXPECT_TRUE(std::ranges::equal(tensor.bytes, three.tensors.find(tensor.name)->bytes))
        << tensor.name;
  }
}

TEST(Quantize, AValueThatIsNotFiniteIsAnErrorThatNamesTheTensor) {
  for (const char* name : {"decoder.layers.1.fc2.weight", "encoder.layers.0.self_attn.k_proj.bias",
                           "encoder.layer_norm.bias"}) {
    RandomBundle written(tiny_architecture());
    std::vector<float> bad;
    for (TensorView& tensor : written.contents().tensors) {
      if (tensor.name != name) continue;
      bad.assign(tensor.bytes.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
      tensor.bytes = std::as_bytes(std::span(bad));
    }
    EXPECT_THAT(
        [&] { Quantized{written}; },
        ThrowsMessage<Error>(AllOf(HasSubstr(name), HasSubstr("a value that is not finite"))));
  }
}

TEST(Int8BundleWriter, WhatIsWrittenOpensAndCannotBeQuantizedAgain) {
  const Quantized q(tiny_architecture());
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
  EXPECT_THAT([&] { quantize(read); },
              ThrowsMessage<Error>(HasSubstr("is an int8 bundle already; give the float32 one")));
}

}  // namespace
}  // namespace eatt
