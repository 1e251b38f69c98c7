#include "runtime/layers/named_tensors.h"

#include <string>

#include "base/error.h"
#include "runtime/layers/buffer.h"

namespace eatt {
namespace {

size_t rounded_up(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

NamedTensors::NamedTensors(std::span<const TensorSpec> specs) {
  size_t total = 0;
  for (const TensorSpec& spec : specs) total += rounded_up(*tensor_bytes(spec.dtype, spec.shape));
  memory_.reset(static_cast<std::byte*>(allocate_lines(total)));
  size_t start = 0;
  for (const TensorSpec& spec : specs) {
    const size_t bytes = *tensor_bytes(spec.dtype, spec.shape);
    expects(places_.emplace(spec.name, tensors_.size()).second, "a tensor's name is given once");
    tensors_.push_back({spec.name, spec.dtype, spec.shape, {memory_.get() + start, bytes}});
    start += rounded_up(bytes);
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
