#pragma once

#include <torch/torch.h>

#include <atomic>

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

// For its life all threads of the process take libtorch's operators; for tests.
class WithoutFusedKernels {
 public:
  WithoutFusedKernels() { ++detail::generic_scopes; }
  ~WithoutFusedKernels() { --detail::generic_scopes; }
  WithoutFusedKernels(const WithoutFusedKernels&) = delete;
  WithoutFusedKernels& operator=(const WithoutFusedKernels&) = delete;
};

}  // namespace eatt
