#include "reference_codes.h"

#include <cmath>

#include "kernels/selection/selection_codes.h"

namespace eatt::testing {

torch::Tensor ReferenceCodes::expected(const CodeRows& codes) const {
  const size_t layer = codes.layer;
  switch (codes.place) {
    case CodePlace::encoder_self:
      return trace_.encoder_self[layer].query_codes[0];
    case CodePlace::cross_key:
      for (const AttentionTrace& cross : trace_.cross) {
        if (cross.key_codes.defined()) return cross.key_codes[0];
      }
      break;
    case CodePlace::decoder_self:
      return trace_.decoder_self[layer].query_codes[0].slice(0, step_, step_ + 1);
    case CodePlace::cross_query:
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
