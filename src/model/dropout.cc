#include "model/dropout.h"

#include <limits>

#include "model/fused.h"
#include "model/fused_dropout.h"

namespace eatt {
namespace {

// 0 or 1 / (1 − rate) for each element of x: the mask of the kernels as a tensor.
torch::Tensor mask_for(const torch::Tensor& x, const kernels::Dropout& dropout) {
  auto mask = torch::ones(x.sizes(), torch::kFloat);
  float* numbers = mask.data_ptr<float>();
  kernels::drop(numbers, static_cast<size_t>(mask.numel()), dropout, /*first=*/0, numbers);
  return mask.to(x.scalar_type());
}

}  // namespace

uint64_t draw_dropout_seed(const std::shared_ptr<Random>& random) {
  if (random != nullptr) return random->next();
  return static_cast<uint64_t>(
      torch::randint(std::numeric_limits<int64_t>::max(), {1}, torch::TensorOptions(torch::kLong))
          .item<int64_t>());
}

torch::Tensor dropout(const torch::Tensor& x, double rate, const std::shared_ptr<Random>& random) {
  if (random == nullptr || !x.is_cpu()) return torch::dropout(x, rate, /*train=*/true);
  const kernels::Dropout drawn = {kernels::dropout_rate(rate), draw_dropout_seed(random)};
  return fused_kernels_take(x) ? fused_dropout(x, drawn) : x * mask_for(x, drawn);
}

torch::Tensor drop_attention(const torch::Tensor& weights, double rate,
                             const std::shared_ptr<Random>& random) {
  if (random == nullptr || !weights.is_cpu()) return torch::dropout(weights, rate, /*train=*/true);
  const kernels::Dropout drawn = {kernels::dropout_rate(rate), draw_dropout_seed(random)};
  auto mask = torch::ones(weights.sizes(), torch::kFloat);
  const auto width = static_cast<size_t>(weights.size(-1));
  const size_t rows = width == 0 ? 0 : static_cast<size_t>(weights.numel()) / width;
  for (size_t row = 0; row < rows; ++row) {
    float* numbers = mask.data_ptr<float>() + row * width;
    kernels::drop(numbers, width, drawn, row * kernels::kDropoutBlock, numbers);
  }
  return weights * mask.to(weights.scalar_type());
}

torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& change, double rate,
                          const std::shared_ptr<Random>& random) {
  if (random == nullptr || !fused_kernels_take(x)) return x + dropout(change, rate, random);
  return fused_add_dropped(x, change, {kernels::dropout_rate(rate), draw_dropout_seed(random)});
}

}  // namespace eatt
