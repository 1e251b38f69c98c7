#pragma once

#include <cstddef>
#include <cstdint>

// Binary codes f(x) = [x > threshold] of the rows of a matrix, in the forms that selection
// needs: packed bits, lists of ones, and both transposed. Lists are split into blocks of 128
// positions, so that a position takes one byte and the rows of weights that a block selects fit
// into the L1 cache.
namespace eatt::kernels {

inline constexpr size_t kCodeBlock = 128;

// Words of 64 bits in a row of `dim` codes; bit i of word w is feature 64·w + i, and the bits after
// the last feature are zero.
constexpr size_t code_words(size_t dim) { return (dim + 63) / 64; }

constexpr size_t code_blocks(size_t dim) { return (dim + kCodeBlock - 1) / kCodeBlock; }

struct CodeThreshold {
  const float* values;  // One for all features, or one per feature.
  bool per_feature = false;
};

// x [rows, dim], x_stride floats from one row to the next → bits [rows, code_words(dim)].
// Returns how many codes are one. NaN gives zero.
size_t selection_codes(const float* x, size_t x_stride, size_t rows, size_t dim,
                       const CodeThreshold& threshold, uint64_t* bits) noexcept;

// bits [rows, code_words(dim)] → codes [rows, dim] of 0.0f and 1.0f: for a dense product.
void codes_to_floats(const uint64_t* bits, size_t rows, size_t dim, float* codes,
                     size_t codes_stride) noexcept;

// bits [rows, code_words(dim)] → transposed [dim, code_words(rows)].
void transpose_codes(const uint64_t* bits, size_t rows, size_t dim, uint64_t* transposed) noexcept;

// Where the ones of each row are. The list of a row in a block has counts[block·rows + row] entries
// (0…128), in ascending order, from positions[(block·rows + row)·128] on; entry p means feature
// 128·block + p. The bytes between the lists are undefined.
struct CodeLists {
  const uint8_t* positions;
  const uint8_t* counts;
  size_t rows;
  size_t dim;

  const uint8_t* list(size_t block, size_t row) const {
    return positions + (block * rows + row) * kCodeBlock;
  }
  size_t count(size_t block, size_t row) const { return counts[block * rows + row]; }
};

// What the sums of selected rows do to the result: it becomes bias + sums, or grows or shrinks by
// them.
enum class Joining { start, add, subtract };

constexpr size_t code_positions_size(size_t rows, size_t dim) {  // Bytes.
  return rows * code_blocks(dim) * kCodeBlock;
}
constexpr size_t code_counts_size(size_t rows, size_t dim) { return rows * code_blocks(dim); }

// Fills positions and counts, of the sizes above, from bits [rows, code_words(dim)].
CodeLists code_lists(const uint64_t* bits, size_t rows, size_t dim, uint8_t* positions,
                     uint8_t* counts) noexcept;

// The gradient that passes through binary codes, as if the step had a bell-shaped slope:
//   d_x = d_code · √(2/π)/width · exp(−2·((x − threshold)/width)²),   all [rows, dim] without gaps.
// d_x may be d_code.
void surrogate_gradient(const float* x, const float* d_code, size_t rows, size_t dim,
                        const CodeThreshold& threshold, float width, float* d_x) noexcept;

}  // namespace eatt::kernels
