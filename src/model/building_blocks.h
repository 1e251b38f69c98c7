#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "bundle/architecture.h"
#include "kernels/rows/rows.h"

namespace eatt {

// A size as libtorch counts it.
inline int64_t torch_size(size_t size) { return static_cast<int64_t>(size); }

// Initial weights: Xavier-uniform matrices and zero biases, as the Transformer's authors chose. All
// draw from libtorch's generator, in the order of creation.
torch::nn::Linear linear(size_t in, size_t out, bool bias = true);
torch::Tensor xavier_uniform(torch::IntArrayRef shape);  // Fans are the last two sizes.

// Rows with mean 0 and standard deviation model_dim^−½, so that times √model_dim they match the
// positions in size and as output weights they give logits near 0.
torch::Tensor embedding_weights(size_t vocab, size_t model_dim);

// Sines, then cosines, of geometrically spaced frequencies: [length, model_dim]
torch::Tensor sinusoidal_positions(int64_t length, size_t model_dim);

// The norm of a model's layers, over model_dim.
torch::nn::LayerNorm layer_norm(const Architecture& architecture);

// norm(x): by our kernel for float on the CPU, else by libtorch's operator.
torch::Tensor normalise(const torch::Tensor& x, torch::nn::LayerNorm& norm);

// dropout(relu(linear(x))), the hidden units of a feed-forward layer: what follows the product is
// one pass of our kernel for float on the CPU, else libtorch's operators. A rate of 0 drops
// nothing; see dropout() for `random`.
torch::Tensor hidden_units(const torch::Tensor& x, torch::nn::Linear& linear, double dropout_rate,
                           const std::shared_ptr<Random>& random);

// Sets each number to 0 with probability `rate` and divides the others by 1 − rate, 0 < rate < 1.
// One draw from `random` decides what is dropped if it is given and x is on the CPU: models that
// compute side by side each have their own, so that what one draws does not depend on timing.
// Otherwise libtorch's generator decides.
torch::Tensor dropout(const torch::Tensor& x, double rate, const std::shared_ptr<Random>& random);

// The same for attention weights [..., key_len], with the mask of the attention kernel.
torch::Tensor drop_attention(const torch::Tensor& weights, double rate,
                             const std::shared_ptr<Random>& random);

// x + dropout(delta)
torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& delta, double rate,
                          const std::shared_ptr<Random>& random);

// A seed for a kernel that drops by itself, drawn as in dropout().
uint64_t draw_dropout_seed(const std::shared_ptr<Random>& random);

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
