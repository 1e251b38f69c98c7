#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "kernels/selection/selection_codes.h"

namespace eatt::kernels {

// Random codes [rows, dim] in the forms that the kernels take. Buffers have exactly the sizes that
// are promised to suffice.
struct RandomCodes {
  RandomCodes(size_t rows_, size_t dim_, double density, uint64_t seed)
      : rows(rows_), dim(dim_), bits(rows * code_words(dim)) {
    Random random(seed);
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < dim; ++i) {
        const uint64_t one = random.uniform() < density ? 1 : 0;
        bits[row * code_words(dim) + i / 64] |= one << (i % 64);
      }
    }
  }

  bool at(size_t row, size_t i) const {
    return (bits[row * code_words(dim) + i / 64] >> (i % 64) & 1) != 0;
  }

  CodeLists lists() {
    positions.resize(code_positions_size(rows, dim));
    counts.resize(code_counts_size(rows, dim));
    return code_lists(bits.data(), rows, dim, positions.data(), counts.data());
  }

  RandomCodes transposed() const {
    RandomCodes result(dim, rows, 0.0, 0);
    transpose_codes(bits.data(), rows, dim, result.bits.data());
    return result;
  }

  size_t rows;
  size_t dim;
  std::vector<uint64_t> bits;
  std::vector<uint8_t> positions;
  std::vector<uint8_t> counts;
};

}  // namespace eatt::kernels
