#include "runtime/layers/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <string>

#include "base/error.h"

namespace eatt {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kLargePage = size_t{2} << 20;

size_t rounded_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

void* allocate_lines(size_t bytes) {
  const bool large = bytes >= kLargePage;
  const size_t unit = large ? kLargePage : kLine;
  void* memory = std::aligned_alloc(unit, rounded_up(std::max(bytes, kLine), unit));
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large) ::madvise(memory, rounded_up(bytes, unit), MADV_HUGEPAGE);  // Only a hint.
#endif
  return memory;
}

NamedTensors::NamedTensors(std::span<const TensorSpec> specs) {
  size_t total = 0;
  for (const TensorSpec& spec : specs)
    total += rounded_up(*tensor_bytes(spec.dtype, spec.shape), kAlignment);
  memory_.reset(static_cast<std::byte*>(allocate_lines(total)));
  size_t start = 0;
  for (const TensorSpec& spec : specs) {
    const size_t bytes = *tensor_bytes(spec.dtype, spec.shape);
    expects(places_.emplace(spec.name, tensors_.size()).second, "a tensor's name is given once");
    tensors_.push_back({spec.name, spec.dtype, spec.shape, {memory_.get() + start, bytes}});
    start += rounded_up(bytes, kAlignment);
  }
}

const TensorView* NamedTensors::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &tensors_[place->second];
}

std::byte* NamedTensors::bytes_of(std::string_view name, Dtype dtype) const {
  const TensorView* tensor = find(name);
  expects(tensor != nullptr, "there is a tensor " + std::string(name));
  expects(tensor->dtype == dtype, "the type of a tensor is known: " + std::string(name));
  return memory_.get() + (tensor->bytes.data() - memory_.get());
}

}  // namespace eatt
