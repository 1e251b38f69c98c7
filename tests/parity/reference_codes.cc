#include "reference_codes.h"

#include <cmath>

#include "kernels/selection/selection_codes.h"

namespace eatt::testing {

torch::Tensor ReferenceCodes::expected(const CodeRows& codes) const {
  const Place& place = codes.place;
  if (place.layer == 0) {
    for (const AttentionTrace& cross : trace_.cross) {
      if (cross.key_codes.defined()) return cross.key_codes[0];
    }
    throw std::logic_error("libtorch made no codes of the encoder's output");
  }
  const size_t layer = place.layer - 1;
  switch (role_of(place)) {
    case Role::encoder_self:
      return trace_.encoder_self[layer].query_codes[0];
    case Role::decoder_self:
      return trace_.decoder_self[layer].query_codes[0].slice(0, step_, step_ + 1);
    case Role::cross:
      return trace_.cross[layer].query_codes[0].slice(0, step_, step_ + 1);
  }
  throw std::logic_error("libtorch made no such codes");
}

void ReferenceCodes::codes(const CodeRows& codes) {
  const auto values = expected(codes).contiguous();
  const float* value = values.data_ptr<float>();
  for (size_t row = 0; row < codes.rows; ++row) {
    for (size_t i = 0; i < codes.dim; ++i) {
      uint64_t& word = codes.bits[row * kernels::code_words(codes.dim) + i / 64];
      const uint64_t bit = uint64_t{1} << (i % 64);
      const bool wanted = value[row * codes.dim + i] > 0.5f;
      if (((word & bit) != 0) == wanted) continue;
      if (!first_) first_ = std::abs(codes.x[row * codes.x_stride + i] - threshold_);
      if (use_ == Use::feed) word ^= bit;
    }
  }
}

}  // namespace eatt::testing
