#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/layers/buffer.h"

namespace eatt {

// How keys and values are kept for later steps.
enum class RowKind { floats, halves, whole };  // Whole: int16.

size_t bytes_of(RowKind kind);

// Rows of one width that come and go, in memory that never moves.
class RowStore {
 public:
  RowStore(RowKind kind, size_t width);

  RowKind kind() const { return kind_; }
  // Room for slots 0 … slots − 1.
  void reserve(size_t slots);
  const std::byte* row(size_t slot) const {
    return chunks_[slot / kChunkRows].data() + slot % kChunkRows * row_bytes_;
  }
  // Floats become halves where the store has those.
  void write(size_t slot, const float* values);
  void write(size_t slot, const int16_t* values);

 private:
  static constexpr size_t kChunkRows = 32;
  std::byte* place(size_t slot) { return const_cast<std::byte*>(row(slot)); }

  RowKind kind_;
  size_t width_;
  size_t row_bytes_;  // A multiple of a line of the cache.
  std::vector<Buffer<std::byte>> chunks_;
};

}  // namespace eatt
