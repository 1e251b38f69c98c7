#include "runtime/attention/rows.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "kernels/attention/attention.h"

namespace eatt {
namespace {

size_t bytes_of(const RowFormat& format) {
  return format.width * (format.kind == RowKind::floats ? sizeof(float) : sizeof(int16_t));
}

}  // namespace

size_t SourceRows::longest() const {
  size_t most = 0;
  for (size_t i = 0; i < sentences(); ++i) most = std::max(most, length(i));
  return most;
}

RowStore::RowStore(const RowFormat& format)
    : format_(format), row_bytes_((bytes_of(format) + 63) / 64 * 64) {}

void RowStore::reserve(size_t slots) {
  if (format_.width == 0) return;
  while (chunks_.size() * kChunkRows < slots) chunks_.emplace_back(kChunkRows * row_bytes_);
}

void RowStore::write(size_t slot, const RowsView& view, size_t row) {
  if (format_.width == 0) return;
  if (format_.kind == RowKind::integers) {
    expects(view.integers != nullptr, "a store of integers is given integers");
    std::memcpy(memory(slot), view.integers + row * view.stride, bytes_of(format_));
    return;
  }
  expects(view.floats != nullptr, "a store of floats is given floats");
  const float* from = view.floats + row * view.stride;
  if (format_.kind == RowKind::halves) {
    kernels::floats_to_halves(from, format_.width, reinterpret_cast<kernels::Half*>(memory(slot)));
  } else {
    std::memcpy(memory(slot), from, bytes_of(format_));
  }
}

void KeyValueRows::reserve(size_t slots) {
  keys.reserve(slots);
  values.reserve(slots);
}

void KeyValueRows::write(size_t slot, const AttentionRows& rows, size_t row) {
  keys.write(slot, rows.key, row);
  values.write(slot, rows.value, row);
}

}  // namespace eatt
