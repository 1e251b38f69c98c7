#include "support/plain_int8_bundle.h"

#include <algorithm>

#include "bundle/expected_tensors.h"

namespace eatt::testing {

PlainInt8Bundle::PlainInt8Bundle(const Architecture& architecture)
    : contents_(RandomBundle(with_folded_scales(architecture)).contents()) {
  contents_.manifest.precision = Precision::int8;
  contents_.tensors.clear();
  for (const TensorSpec& spec : expected_tensors(architecture, Precision::int8)) {
    auto& bytes = memory_[spec.name];
    bytes.resize(*tensor_bytes(spec.dtype, spec.shape));
    contents_.tensors.push_back({spec.name, spec.dtype, spec.shape, bytes});
  }
  for (const TensorView& tensor : contents_.tensors) fill(tensor);
}

void PlainInt8Bundle::fill(const TensorView& tensor) {
  const size_t size = tensor.bytes.size() / dtype_bytes(tensor.dtype);
  const std::string& name = tensor.name;
  if (tensor.dtype == Dtype::f32) std::fill_n(values<float>(name), size, 0.5f);
  if (tensor.dtype == Dtype::u8) std::fill_n(values<uint8_t>(name), size, uint8_t{129});
  if (tensor.dtype != Dtype::i8) return;
  int32_t* sums = values<int32_t>(name.substr(0, name.rfind('.')) + ".sums");
  const size_t panel = tensor.shape[1] * 256;
  for (size_t i = 0; i < size; ++i) {
    const auto weight = static_cast<int8_t>(static_cast<int>(i % 7 % 3) - 1);
    values<int8_t>(name)[i] = weight;
    sums[i / panel * 64 + i / 4 % 64] += weight;
  }
}

}  // namespace eatt::testing
