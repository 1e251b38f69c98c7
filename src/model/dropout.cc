#include "model/dropout.h"

#include <cmath>
#include <limits>

namespace eatt {
namespace {

// Four numbers of 16 bits from each draw: a rate is exact to 1/65536.
torch::Tensor draw_mask(const torch::Tensor& like, double rate, Random& random) {
  auto mask = torch::empty(like.sizes(), torch::kFloat);
  const auto threshold = static_cast<uint64_t>(std::lround(rate * 65536));
  const auto kept = static_cast<float>(1 / (1 - rate));
  float* out = mask.data_ptr<float>();
  const int64_t size = mask.numel();
  for (int64_t i = 0; i < size; i += 4) {
    uint64_t bits = random.next();
    const int64_t end = std::min<int64_t>(i + 4, size);
    for (int64_t j = i; j < end; ++j, bits >>= 16) {
      out[j] = (bits & 0xffff) < threshold ? 0.0f : kept;
    }
  }
  return mask;
}

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, double rate, const std::shared_ptr<Random>& random) {
  if (random == nullptr || !x.is_cpu() || x.scalar_type() != torch::kFloat) {
    return torch::dropout(x, rate, /*train=*/true);
  }
  return x * draw_mask(x, rate, *random);
}

uint64_t draw_dropout_seed(const std::shared_ptr<Random>& random) {
  if (random != nullptr) return random->next();
  return static_cast<uint64_t>(
      torch::randint(std::numeric_limits<int64_t>::max(), {1}, torch::TensorOptions(torch::kLong))
          .item<int64_t>());
}

}  // namespace eatt
