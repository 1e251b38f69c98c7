#include "runtime/score_factors.h"

#include <fmt/format.h>

#include <algorithm>

namespace eatt {

std::string attention_prefix(Role role, size_t layer) {
  return fmt::format("{}.layers.{}.{}.", role == Role::encoder_self ? "encoder" : "decoder", layer,
                     role == Role::cross ? "cross_attn" : "self_attn");
}

std::vector<float> score_factors(const Architecture& architecture, Role role, size_t layer,
                                 const FloatTensors& tensors) {
  if (architecture.attention(role).scale.kind == ScaleKind::learned) {
    const auto learned = tensors(attention_prefix(role, layer) + "score_scale");
    std::vector<float> factors(learned.begin(), learned.end());
    for (float& factor : factors) factor = std::max(factor, static_cast<float>(kLeastScoreScale));
    return factors;
  }
  return std::vector<float>(static_cast<size_t>(architecture.heads),
                            static_cast<float>(1.0 / score_divisor(architecture, role)));
}

}  // namespace eatt
