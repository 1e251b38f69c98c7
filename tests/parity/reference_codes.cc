#include "reference_codes.h"

#include <algorithm>
#include <cmath>

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
      const int wanted = static_cast<int>(std::lround(value[row * codes.dim + i]));
      if (codes.code(row, i) == wanted) continue;
      if (!first_) first_ = distance(codes.x[row * codes.x_stride + i], codes.levels);
      if (use_ == Use::feed) codes.set(row, i, wanted);
    }
  }
}

double ReferenceCodes::distance(float x, size_t levels) const {
  if (levels == 0) return std::abs(x - threshold_);
  double nearest = std::abs(std::abs(x) - threshold_);
  for (size_t n = 2; n <= levels; ++n) {
    const double limit = threshold_ * static_cast<double>(2 * n - 1);
    nearest = std::min(nearest, std::abs(std::abs(x) - limit));
  }
  return nearest;
}

}  // namespace eatt::testing
