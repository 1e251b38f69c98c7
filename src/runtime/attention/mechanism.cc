#include "runtime/attention/mechanism.h"

#include <algorithm>

#include "runtime/layers/observer.h"

namespace eatt {

const LinearInput& AttentionInput::linear() {
  if (!linear_) linear_ = linear_input(precision_, x_, rows_, width_, scratch_);
  return *linear_;
}

const kernels::CodeLists& AttentionInput::codes(const kernels::CodeThreshold& threshold,
                                                const Place& place, Duty duty) {
  if (codes_) return *codes_;
  Scratch& s = scratch_;
  uint64_t* bits = s.bits.at_least(rows_ * kernels::code_words(width_));
  kernels::selection_codes(x_, width_, rows_, width_, threshold, bits);
  if (s.observer != nullptr) s.observer->codes({place, duty, x_, width_, rows_, width_, bits});
  codes_ = kernels::code_lists(
      bits, rows_, width_, s.code_positions.at_least(kernels::code_positions_size(rows_, width_)),
      s.code_counts.at_least(kernels::code_counts_size(rows_, width_)));
  return *codes_;
}

HeadFactors score_factors(const Architecture& architecture, Role role, const std::string& attention,
                          const FloatTensors& tensors) {
  if (architecture.attention(role).scale.kind == ScaleKind::learned) {
    const auto learned = tensors(attention + "score_scale");
    HeadFactors factors(learned.begin(), learned.end());
    for (double& factor : factors) factor = std::max(factor, kLeastScoreScale);
    return factors;
  }
  return HeadFactors(architecture.heads, 1.0 / score_divisor(architecture, role));
}

MadeMechanism make_mechanism(WeightReader& weights, Role role, size_t layer) {
  const Architecture& a = weights.architecture();
  const MechanismSource source{.weights = weights,
                               .mechanism = a.attention(role).layers[layer],
                               .role = role,
                               .prefix = attention_prefix(role, layer),
                               .shape = {.heads = a.heads,
                                         .qk_dim = a.qk_dim,
                                         .attention_dim = a.attention_dim,
                                         .max_length = a.max_length},
                               .place = place_of(role, layer + 1)};
  switch (source.mechanism) {
    case Mechanism::vanilla:
    case Mechanism::l1:
      return make_projected(source);
    case Mechanism::eatt:
    case Mechanism::selection:
      return make_selected(source);
    case Mechanism::dense:
      return make_learned_columns(source);
    case Mechanism::randinit:
      return make_score_table(source);
  }
  return nullptr;
}

}  // namespace eatt
