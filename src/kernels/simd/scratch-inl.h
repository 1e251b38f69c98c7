// The caller's scratch memory, shared out.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/scratch_size.h"

#if defined(EATT_KERNELS_SCRATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_SCRATCH_INL_H_
#undef EATT_KERNELS_SCRATCH_INL_H_
#else
#define EATT_KERNELS_SCRATCH_INL_H_
#endif

#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Hands out parts of it that start at a line of the cache: a vector across two lines takes twice as
// long to load. kAlignment floats are lost to that at most.
class ScratchParts {
 public:
  explicit ScratchParts(float* scratch) {
    const auto address = reinterpret_cast<uintptr_t>(scratch);
    constexpr uintptr_t kLine = kAlignment * sizeof(float);
    next_ = scratch + (kLine - address % kLine) % kLine / sizeof(float);
  }
  float* take(size_t size) {
    float* part = next_;
    next_ += round_up(size, kAlignment);
    return part;
  }

 private:
  float* next_;
};

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
