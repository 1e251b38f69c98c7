#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace eatt::bench {

// Products of bytes by oneDNN, on one thread: y [rows, out] = x [rows, in] · Wᵀ with x of u8, W of
// s8 and y of s32, the offset, the scales and the bias left out. The weights are brought into the
// layout that oneDNN prefers for these sizes, once.
struct OneDnnProducts {
  // multiply(i) is x by weights i, for as many as were given. Empty where the benchmark was built
  // without libdnnl-dev.
  std::function<void(size_t i)> multiply;
  std::vector<int32_t> y;
};

// weights: each [out, in]. `to` is what multiply writes to, so it must stay where it is.
void prepare_onednn_products(const std::vector<uint8_t>& x, size_t rows, size_t in, size_t out,
                             const std::vector<std::vector<int8_t>>& weights, OneDnnProducts& to);

}  // namespace eatt::bench
