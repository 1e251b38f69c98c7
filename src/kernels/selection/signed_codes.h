#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/selection/selection_codes.h"

// Signed codes: inputs rounded to small integers. With L levels and a threshold t > 0, the code of
// x is the integer n from −L to L that is nearest to x / 2t: 0 where |x| ≤ t, ±1 up to 3t, ±2 up to
// 5t and so on. One level gives ternary codes. A product with such codes needs no multiplication.
// In binary an integer up to 6 has at most two ones; for each of them a row of the weights is added
// or subtracted, and the sums of higher digits are doubled by adding them to themselves.
namespace eatt::kernels {

inline constexpr size_t kMostCodeLevels = 6;

// Binary digits of the codes. Each has two planes of bits: for codes above and below 0.
constexpr size_t code_digits(size_t levels) { return static_cast<size_t>(std::bit_width(levels)); }
constexpr size_t code_planes(size_t levels) { return levels == 0 ? 1 : 2 * code_digits(levels); }

// How a matrix of floats is coded.
struct SignedCoding {
  CodeThreshold threshold;
  size_t levels;
  float unit;  // What the code 1 is worth, for codes as floats and for gradients.
};

// Codes of x [rows, dim], without gaps, times the unit.
void signed_code_values(const float* x, size_t rows, size_t dim, const SignedCoding& coding,
                        float* codes) noexcept;

// The gradient that passes through the codes, as if each of their steps had a bell-shaped slope:
//   d_x = d_code · unit · Σ (bell(x − (2n − 1)·t) + bell(x + (2n − 1)·t)) for n = 1 … levels,
//   bell(u) = √(2/π)/width · exp(−2·(u/width)²).
// All [rows, dim] without gaps; d_x may be d_code.
void signed_code_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                          const SignedCoding& coding, float width, float* d_x) noexcept;

// Bits of the codes, as in selection_codes(), in code_planes(levels) planes [rows, code_words(dim)]
// one after the other: plane 2·k has digit k of the codes above 0, plane 2·k + 1 that of the codes
// below 0. NaN gives zero.
void signed_code_planes(const float* x, size_t x_stride, size_t rows, size_t dim,
                        const CodeThreshold& threshold, size_t levels, uint64_t* planes) noexcept;

}  // namespace eatt::kernels
