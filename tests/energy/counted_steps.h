#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "energy/counted_weights.h"
#include "energy/kept_rows.h"

// The steps of docs/operation-counts.md on rows [rows, width], with plain loops.
namespace eatt::energy::testing {

// Row `row` of x. Each reads its own weights, even if another has the same piece or position.
void embed(const Product& embedding, const Tensor<Fp32>& positions, int32_t piece, size_t position,
           size_t row, Tensor<Fp32>& x);

Tensor<Fp32> normed(const Tensor<Fp32>& x, const Norm& norm, float epsilon);
Tensor<Fp32> added(const Tensor<Fp32>& x, const Tensor<Fp32>& change);

// Rows of eight bits: x ≈ number · scale of its row.
struct RoundedRows {
  Tensor<Int8> numbers;
  Tensor<Fp32> scales;  // [1, rows]
};
RoundedRows rounded(const Tensor<Fp32>& x);

// What products read: rows, and the same rounded where the weights are int8.
struct ProductInput {
  const Tensor<Fp32>& x;
  std::optional<RoundedRows> rounded = std::nullopt;
};

enum class Relu { no, yes };
Tensor<Fp32> product(const Product& product, const ProductInput& input, Relu relu = Relu::no);
// Row i goes to slots[i].
void product_to(const Product& product, const ProductInput& input, KeptRows& kept,
                std::span<const size_t> slots);
// Of each row some columns only, the others stay zeros.
Tensor<Fp32> product_of_columns(const Product& product, const ProductInput& input,
                                std::span<const std::vector<int32_t>> columns);

// Codes of x with `threshold` [1, 1 or width], binary if `levels` is 0. They are those of another
// program, `recorded` [rows, width] row by row: a difference is an error unless x is within
// `tolerance` of a threshold.
Tensor<Code> codes_of(const Tensor<Fp32>& x, const Tensor<Fp32>& threshold, size_t levels,
                      const std::vector<int>& recorded, float tolerance);

// Sums of selected rows: Fp32, or Int16 of int8 weights.
template <class Element>
Tensor<Element> select(const Selection& selection, const Tensor<Code>& codes, size_t levels);
void select_to(const Selection& selection, const Tensor<Code>& codes, size_t levels, KeptRows& kept,
               std::span<const size_t> slots);

// Whole numbers times the unit of their head [1, heads].
Tensor<Fp32> floating(const Tensor<Int16>& whole, const Tensor<Fp32>& units);
void floating_to(const Tensor<Int16>& whole, const Tensor<Fp32>& units, KeptRows& kept,
                 std::span<const size_t> slots);

}  // namespace eatt::energy::testing
