#include <algorithm>

#include "kernels/checks/checked_kernels.h"
#include "kernels/products/dense_product.h"
#include "kernels/products/products.h"

namespace eatt::kernels::checks {
namespace {

Results float_products() {
  const Floats x = random_floats(kRows * kDim, 1), weight = random_floats(kOut * kDim, 2);
  const Floats bias = random_floats(kOut, 3);
  // Panels need aligned memory.
  constexpr size_t kPadding = 64 / sizeof(float);
  Floats memory(float_panels_size(kDim, kOut) + kPadding), y(kRows * kOut);
  float* panels =
      memory.data() + kPadding - reinterpret_cast<uintptr_t>(memory.data()) % 64 / sizeof(float);
  pack_float_panels(weight.data(), kDim, kOut, panels);
  Results results;
  for (const size_t rows : {size_t{1}, kRows}) {
    float_product({kDim, kOut, panels, bias.data()}, x.data(), kDim, rows, {y.data(), kOut});
    results.add(y);
  }
  return results;
}

// Forward, and with the first factor transposed as for the gradient of weights.
Results training_products() {
  const Floats x = random_floats(kRows * kDim, 1), weight = random_floats(kOut * kDim, 2);
  const Floats d_y = random_floats(kRows * kOut, 3);
  constexpr size_t kPadding = 64 / sizeof(float);
  const size_t size = std::max(packed_factor_size(kDim, kOut), packed_factor_size(kRows, kDim));
  Floats memory(size + kPadding), y(kRows * kOut), d_weight(kOut * kDim);
  float* packed =
      memory.data() + kPadding - reinterpret_cast<uintptr_t>(memory.data()) % 64 / sizeof(float);
  Results results;
  pack_factor({weight.data(), kDim, /*transposed=*/true}, kDim, kOut, packed);
  dense_product({.depth = kDim, .columns = kOut, .packed = packed}, {x.data(), kDim}, kRows,
                y.data(), kOut);
  results.add(y);
  pack_factor({x.data(), kDim}, kRows, kDim, packed);
  dense_product({.depth = kRows, .columns = kDim, .packed = packed},
                {d_y.data(), kOut, /*transposed=*/true}, kOut, d_weight.data(), kDim);
  results.add(d_weight);
  return results;
}

Results int8_products() {
  const Floats x = random_floats(kRows * kDim, 1), weight = random_floats(kOut * kDim, 2);
  const Floats bias = random_floats(kOut, 3);
  std::vector<int8_t> quantized(kOut * kDim), panels(int8_panels_size(kDim, kOut));
  std::vector<int32_t> sums(int8_padded_columns(kOut));
  std::vector<uint8_t> values(quantized_rows_size(kRows, kDim));
  Floats scales(kOut), row_scales(kRows), y(kRows * kOut);
  quantize_weights(weight.data(), kDim, kOut, quantized.data(), scales.data());
  pack_int8_panels(quantized.data(), kDim, kOut, panels.data(), sums.data());
  const Int8Matrix matrix = {kDim, kOut, panels.data(), sums.data(), scales.data(), bias.data()};
  Results results;
  for (const size_t rows : {size_t{1}, kRows}) {
    int8_product(matrix,
                 quantize_rows(x.data(), kDim, rows, kDim, values.data(), row_scales.data()),
                 {y.data(), kOut});
    results.add(y);
  }
  return results;
}

}  // namespace

std::vector<CheckedKernel> product_checks() {
  return {
      {"products of floats", kSums, float_products},
      {"products of training", kSums, training_products},
      {"products of int8", 0, int8_products},
  };
}

}  // namespace eatt::kernels::checks
