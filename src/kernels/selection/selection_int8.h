#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/selection/selection_codes.h"

// The selection projection with int8 weights and exact int16 sums.
//   result [rows, out] = bias [out] + codes [rows, in] · weightᵀ, weight [out, in]
// Weights are packed beforehand into panels of up to 256 columns, [panels][in][columns], or for few
// rows as one panel of all columns, so that memory is read in long runs. Within 64
// columns, byte 2·i is column i plus 128 (64 with seven bits), as an unsigned number, and byte 2·i
// + 1 is column 32 + i, signed: the sums of these 16-bit words and of their upper bytes alone give
// both sums at once.
namespace eatt::kernels {

enum class Int8Layout { panels, rows };  // For many rows, and for up to kFewSelectionRows.

struct Int8Packing {
  Int8Layout layout = Int8Layout::panels;
  bool seven_bits = false;  // Only if all weights are in −64 … 63.
};

size_t selection_int8_size(size_t in, size_t out) noexcept;  // Bytes, in both layouts.

// weight [out, in] → packed, of selection_int8_size(); best aligned to 64 bytes.
void pack_selection_int8(const int8_t* weight, size_t in, size_t out, const Int8Packing& packing,
                         uint8_t* packed) noexcept;
// The inverse.
void unpack_selection_int8(const uint8_t* packed, size_t in, size_t out, const Int8Packing& packing,
                           int8_t* weight) noexcept;

// codes are the lists of [rows, in]; the result has result_stride elements from one row to the
// next. Sums that do not fit wrap around. The bias is read by Joining::start only.
void select_int8(const CodeLists& codes, const uint8_t* packed, const Int8Packing& packing,
                 size_t out, const int16_t* bias, int16_t* result, size_t result_stride,
                 Joining joining = Joining::start) noexcept;

}  // namespace eatt::kernels
