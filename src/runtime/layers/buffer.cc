#include "runtime/layers/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

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
  if (large) ::madvise(memory, rounded_up(bytes, unit), MADV_HUGEPAGE);  // A wish; no harm if not.
#endif
  return memory;
}

}  // namespace eatt
