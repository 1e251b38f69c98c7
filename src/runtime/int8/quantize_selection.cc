#include "runtime/int8/quantize_selection.h"

#include <algorithm>
#include <cmath>

namespace eatt {
namespace {

constexpr float kMostWeight = 127;
constexpr double kMostSum = 32767;
constexpr float kLeastScale = 1e-30f;  // Smaller values become 0; 1/scale must be finite.
constexpr float kStep = 1 + 1.0f / 1024;

// Rounds to nearest, ties to even: adding the number leaves no bits for a fraction. For |x| below
// 2^22. Unlike std::nearbyint, it compiles to two vector instructions.
float rounded(float x) {
  constexpr float kShift = 12582912;  // 1.5 · 2^23
  return x + kShift - kShift;
}

// The range of the sums of selections.
struct Reach {
  double highest;
  double lowest;

  double most() const { return std::max(highest, -lowest); }
};

// Of bias + Σ code·weight: binary codes select what has one sign, signed codes turn signs and
// multiply.
Reach reach_of(double bias, double positive, double negative, size_t code_levels) {
  if (code_levels == 0) return {bias + positive, bias + negative};
  const double most = (positive - negative) * static_cast<double>(code_levels);
  return {bias + most, bias - most};
}

Reach rounded_reach(std::span<const float> row, float inverse, double bias, size_t code_levels) {
  int32_t positive = 0, negative = 0;
  for (const float weight : row) {
    const auto number = static_cast<int32_t>(rounded(weight * inverse));
    positive += std::max(number, 0);
    negative += std::min(number, 0);
  }
  return reach_of(bias, positive, negative, code_levels);
}

double number_of_bias(float bias, float scale) {
  return std::nearbyint(static_cast<double>(bias) / static_cast<double>(scale));
}

bool sums_fit(const SelectionRows& rows, size_t in, float scale) {
  for (size_t o = 0; o < rows.bias.size(); ++o) {
    const Reach reach =
        rounded_reach(rows.weight.subspan(o * in, in), 1 / scale,
                      number_of_bias(rows.bias[o], rows.unit * scale), rows.code_levels);
    if (reach.most() > kMostSum) return false;
  }
  return true;
}

// The scale that would be needed if nothing were rounded.
double least_scale(const SelectionRows& rows, size_t in) {
  double least = 0;
  for (size_t o = 0; o < rows.bias.size(); ++o) {
    float most = 0;
    double positive = 0, negative = 0;
    for (const float weight : rows.weight.subspan(o * in, in)) {
      most = std::max(most, std::abs(weight));
      positive += std::max(weight, 0.0f);
      negative += std::min(weight, 0.0f);
    }
    const Reach reach = reach_of(rows.bias[o] / rows.unit, positive, negative, rows.code_levels);
    least = std::max({least, static_cast<double>(most / kMostWeight), reach.most() / kMostSum});
  }
  return least;
}

}  // namespace

float selection_scale(std::span<const SelectionRows> rows, size_t in) {
  double least = 0;
  for (const SelectionRows& some : rows) least = std::max(least, least_scale(some, in));
  if (least == 0) return 1;
  float scale = std::max(static_cast<float>(least), kLeastScale);
  const auto fit = [&](const SelectionRows& some) { return sums_fit(some, in, scale); };
  while (!std::ranges::all_of(rows, fit)) scale *= kStep;
  return scale;
}

void quantize_selection(const SelectionRows& rows, float scale, int8_t* weight, int16_t* bias) {
  const float inverse = 1 / scale;
  for (size_t i = 0; i < rows.weight.size(); ++i) {
    weight[i] = static_cast<int8_t>(rounded(rows.weight[i] * inverse));
  }
  for (size_t o = 0; o < rows.bias.size(); ++o) {
    bias[o] = static_cast<int16_t>(number_of_bias(rows.bias[o], rows.unit * scale));
  }
}

}  // namespace eatt
