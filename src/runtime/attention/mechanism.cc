#include "runtime/attention/mechanism.h"

#include <algorithm>

#include "runtime/layers/observer.h"

namespace eatt {

const LinearInput& AttentionInput::linear() {
  if (!linear_) linear_ = linear_input(precision_, x_, rows_, width_, scratch_);
  return *linear_;
}

const RowCodes& AttentionInput::codes(const Coding& coding, const Place& place, Duty duty) {
  if (codes_) return *codes_;
  Scratch& s = scratch_;
  const size_t planes = kernels::code_planes(coding.levels);
  const size_t words = rows_ * kernels::code_words(width_);
  uint64_t* bits = s.bits.at_least(planes * words);
  if (coding.levels == 0) {
    kernels::selection_codes(x_, width_, rows_, width_, coding.threshold, bits);
  } else {
    kernels::signed_code_planes(x_, width_, rows_, width_, coding.threshold, coding.levels, bits);
  }
  if (s.observer != nullptr) {
    s.observer->codes({place, duty, x_, width_, rows_, width_, coding.levels, bits});
  }
  const size_t positions = kernels::code_positions_size(rows_, width_);
  const size_t counts = kernels::code_counts_size(rows_, width_);
  uint8_t* position = s.code_positions.at_least(planes * positions);
  uint8_t* count = s.code_counts.at_least(planes * counts);
  codes_.emplace(RowCodes{.levels = coding.levels});
  for (size_t plane = 0; plane < planes; ++plane) {
    codes_->planes[plane] = kernels::code_lists(
        bits + plane * words, rows_, width_, position + plane * positions, count + plane * counts);
  }
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
