// Any bytes are either a header whose tensors all lie inside the file, or an Error.
#include <cstdlib>

#include "base/error.h"
#include "bundle/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto header =
        eatt::parse_safetensors_header({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    uint64_t end = 0;
    for (const auto& tensor : header.tensors) {
      if (tensor.begin != end || tensor.end < tensor.begin) std::abort();  // A gap or an overlap.
      end = tensor.end;
    }
    if (header.data_start + end != size) std::abort();
  } catch (const eatt::Error&) {
  }
  return 0;
}
