#include "runtime/int8/score_factors.h"

#include <fmt/format.h>

#include <algorithm>

namespace eatt {

std::string attention_prefix(Role role, size_t layer) {
  return fmt::format("{}.layers.{}.{}.", role == Role::encoder_self ? "encoder" : "decoder", layer,
                     role == Role::cross ? "cross_attn" : "self_attn");
}

std::vector<double> score_factors(const Architecture& architecture, Role role,
                                  const std::string& attention, const FloatTensors& tensors) {
  if (architecture.attention(role).scale.kind == ScaleKind::learned) {
    const auto learned = tensors(attention + "score_scale");
    std::vector<double> factors(learned.begin(), learned.end());
    for (double& factor : factors) factor = std::max(factor, kLeastScoreScale);
    return factors;
  }
  return std::vector<double>(architecture.heads, 1.0 / score_divisor(architecture, role));
}

}  // namespace eatt
