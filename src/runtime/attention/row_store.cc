#include "runtime/attention/row_store.h"

#include <cstring>

#include "base/error.h"
#include "kernels/attention/attention.h"

namespace eatt {

size_t bytes_of(RowKind kind) { return kind == RowKind::floats ? sizeof(float) : sizeof(int16_t); }

RowStore::RowStore(RowKind kind, size_t width)
    : kind_(kind), width_(width), row_bytes_((width * bytes_of(kind) + 63) / 64 * 64) {}

void RowStore::reserve(size_t slots) {
  while (chunks_.size() * kChunkRows < slots) chunks_.emplace_back(kChunkRows * row_bytes_);
}

void RowStore::write(size_t slot, const float* values) {
  if (kind_ == RowKind::halves) {
    kernels::floats_to_halves(values, width_, reinterpret_cast<kernels::Half*>(place(slot)));
    return;
  }
  expects(kind_ == RowKind::floats, "whole numbers are written as such");
  std::memcpy(place(slot), values, width_ * sizeof(float));
}

void RowStore::write(size_t slot, const int16_t* values) {
  expects(kind_ == RowKind::whole, "a store of floats takes floats");
  std::memcpy(place(slot), values, width_ * sizeof(int16_t));
}

}  // namespace eatt
