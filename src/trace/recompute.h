#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/plain_model.h"

// The computations of an int8 model in plain loops, as in docs/trace-format.md and in hardware.
namespace eatt::trace {

// codes [rows, dim] of input: 1 where it is above threshold [dim] if they are binary; signed codes
// have so many levels.
std::vector<int8_t> codes_of(std::span<const float> input, std::span<const float> threshold,
                             size_t levels);

// sums [rows, out] = bias + Σ codes [rows, in] · weights
std::vector<int16_t> selected_sums(const PlainSelection& selection, std::span<const int8_t> codes);

// Σ |query − key| of vectors of one head.
int32_t distance(std::span<const int16_t> query, std::span<const int16_t> key);
float distance_score(int32_t distance, float unit);

// Rows of `width` floats in eight bits: value ≈ number · scale of its row.
struct RoundedRows {
  std::vector<int8_t> numbers;  // [rows, width]
  std::vector<float> scales;    // [rows]
};
RoundedRows rounded_rows(std::span<const float> values, size_t width);

// sums [rows, out] = input [rows, in] · weightᵀ
std::vector<int32_t> product_sums(const PlainProduct& product, std::span<const int8_t> input);
// The output that a sum gives.
float product_output(const PlainProduct& product, size_t column, int32_t sum, float input_scale,
                     kernels::Activation activation);

}  // namespace eatt::trace
