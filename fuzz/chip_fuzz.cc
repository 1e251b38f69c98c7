// Any text is either a chip whose every class of operations is priced or left out, not both, or an
// Error.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "energy/chip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace eatt::energy;
  try {
    const Chip chip = parse_chip({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const Operation operation : kOperations) {
      for (const Number number : kNumbers) {
        const auto price = chip.price(operation, number);
        if (price && chip.leaves_out(operation, number)) std::abort();
        if (price && !(std::isfinite(*price) && *price >= 0)) std::abort();
      }
    }
    if (!chip.memories.empty() && !chip.memories.back().holds(UINT64_MAX)) std::abort();
  } catch (const eatt::Error&) {
  }
  return 0;
}
