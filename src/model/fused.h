#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace eatt {

// Tensors of float on the CPU are computed by our own kernels, all others by libtorch's operators,
// which are also what tests compare the kernels with.

namespace detail {
inline std::atomic<int> generic_scopes = 0;
}

inline bool fused_kernels_enabled() { return detail::generic_scopes == 0; }

// Whether x may be given to a kernel.
inline bool fused_kernels_take(const torch::Tensor& x) {
  return fused_kernels_enabled() && x.is_cpu() && x.scalar_type() == torch::kFloat;
}

// While one exists, all threads of the process use libtorch's operators, as tests need it.
class WithoutFusedKernels {
 public:
  WithoutFusedKernels() { ++detail::generic_scopes; }
  ~WithoutFusedKernels() { --detail::generic_scopes; }
  WithoutFusedKernels(const WithoutFusedKernels&) = delete;
  WithoutFusedKernels& operator=(const WithoutFusedKernels&) = delete;
};

inline constexpr int64_t kPartElements = 1 << 15;  // This many are worth a thread.

// Rows of a part, by the shape alone: sums over parts do not depend on the number of threads.
inline int64_t rows_of_part(int64_t width) { return std::max<int64_t>(1, kPartElements / width); }

// Memory of at least `size` floats that the calling thread keeps for its next call; what an earlier
// call gave is overwritten. It starts at a line of the cache: vectors across two are slow to load.
inline float* thread_scratch(size_t size) {
  constexpr size_t kLine = 16;  // Floats.
  thread_local std::vector<float> scratch;
  if (scratch.size() < size + kLine) scratch = std::vector<float>(size + kLine);
  const auto place = reinterpret_cast<uintptr_t>(scratch.data()) / sizeof(float);
  return scratch.data() + (kLine - place % kLine) % kLine;
}

}  // namespace eatt
