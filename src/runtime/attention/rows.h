#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/layers/memory.h"

namespace eatt {

// Sentences one after another, without padding.
struct SourceRows {
  std::vector<int32_t> pieces;       // Each sentence's end marker included.
  std::vector<size_t> starts = {0};  // Sentence i has rows starts[i] … starts[i+1] − 1.

  size_t sentences() const { return starts.size() - 1; }
  size_t rows() const { return pieces.size(); }
  size_t length(size_t sentence) const { return starts[sentence + 1] - starts[sentence]; }
  size_t longest() const;
};

// How keys and values are kept for later steps.
enum class RowKind { floats, halves, integers };  // Integers: int16.

// Rows of queries, keys or values in scratch memory, of one kind; empty where a mechanism has none.
struct RowsView {
  const float* floats = nullptr;
  const int16_t* integers = nullptr;
  size_t stride = 0;  // From row to row.
};

// What a mechanism makes of the rows that it reads.
struct AttentionRows {
  RowsView query, key, value;
};

// Rows of a store, anywhere in memory.
struct RowPointers {
  RowKind kind = RowKind::floats;
  const void* const* rows = nullptr;
  size_t count = 0;

  const float* const* floats() const { return as<float>(); }
  const uint16_t* const* halves() const { return as<uint16_t>(); }
  const int16_t* const* integers() const { return as<int16_t>(); }

 private:
  template <class T>
  const T* const* as() const {
    return reinterpret_cast<const T* const*>(rows);
  }
};

// Kind and width of the rows of a store; a width of 0 stands for no rows at all.
struct RowFormat {
  RowKind kind = RowKind::floats;
  size_t width = 0;
};

// Rows of one width that come and go, in memory that never moves.
class RowStore {
 public:
  explicit RowStore(const RowFormat& format);

  const RowFormat& format() const { return format_; }
  // Room for slots 0 … slots − 1.
  void reserve(size_t slots);
  const std::byte* row(size_t slot) const {
    return chunks_[slot / kChunkRows].data() + slot % kChunkRows * row_bytes_;
  }
  // Row `row` of a view to a slot; floats become halves where the store has those.
  void write(size_t slot, const RowsView& view, size_t row);

 private:
  static constexpr size_t kChunkRows = 32;
  std::byte* memory(size_t slot) { return const_cast<std::byte*>(row(slot)); }

  RowFormat format_;
  size_t row_bytes_;  // A multiple of a cache line.
  std::vector<Buffer<std::byte>> chunks_;
};

// Keys and values of an attention layer.
struct KeyValueRows {
  RowStore keys, values;

  void reserve(size_t slots);
  void write(size_t slot, const AttentionRows& rows, size_t row);
};

}  // namespace eatt
