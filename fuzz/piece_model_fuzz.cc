// Any bytes are either a piece model with at least one piece, or an Error.
#include <cstdlib>

#include "base/error.h"
#include "bundle/bundle_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    if (eatt::count_pieces({reinterpret_cast<const std::byte*>(data), size}, "fuzz") == 0) {
      std::abort();
    }
  } catch (const eatt::Error&) {
  }
  return 0;
}
