#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace eatt {

// Some outputs of a selection: weight [bias.size(), in], a row per output.
struct SelectionRows {
  std::span<const float> weight;
  std::span<const float> bias;
  size_t code_levels = 0;  // Of signed codes; 0: binary.
  float unit = 1;          // What the code 1 is worth: an output is bias + unit · Σ code·weight.
};

// What the integer 1 of these weights is worth: the smallest (to a thousandth) for which weights
// are within ±127 and, whatever is selected, sums with the bias within ±32767. 1 if all are zeros.
float selection_scale(std::span<const SelectionRows> rows, size_t in);

// weight / scale and bias / (unit · scale), rounded to nearest, ties to even. The scale is one that
// selection_scale gave for these rows.
void quantize_selection(const SelectionRows& rows, float scale, int8_t* weight, int16_t* bias);

}  // namespace eatt
