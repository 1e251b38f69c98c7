#include "runtime/layers/layer_steps.h"

#include <algorithm>
#include <cmath>

#include "kernels/rows/layer_norm.h"
#include "kernels/selection/selection.h"

namespace eatt {
namespace {

// Rows that go through a feed-forward block at a time, so that its hidden units stay in the cache.
constexpr size_t kRowsAtATime = 128;

void add_into(float* x, const float* change, size_t size) {
  for (size_t i = 0; i < size; ++i) x[i] += change[i];
}

void tell_residual(const Architecture& architecture, const Norm& norm, const float* x, size_t rows,
                   const Scratch& scratch) {
  const size_t width = architecture.model_dim;
  if (scratch.steps != nullptr) scratch.steps->residual(norm, {x, rows * width});
}

}  // namespace

LinearInput linear_input(Precision precision, const float* x, size_t rows, size_t width,
                         Scratch& scratch) {
  LinearInput input{.x = x, .rows = rows, .width = width};
  input.observer = scratch.steps;
  if (precision == Precision::float32) return input;
  uint8_t* values = scratch.quantized.at_least(kernels::quantized_rows_size(rows, width));
  float* scales = scratch.row_scales.at_least(rows);
  input.quantized = kernels::quantize_rows(x, width, rows, width, values, scales);
  return input;
}

void apply(const Linear& linear, const LinearInput& input, float* y,
           kernels::Activation activation) {
  const kernels::ProductResult result{y, outputs(linear), activation};
  if (const auto* matrix = std::get_if<kernels::Int8Matrix>(&linear)) {
    kernels::int8_product(*matrix, *input.quantized, result);
  } else {
    kernels::float_product(std::get<kernels::FloatMatrix>(linear), input.x, input.width, input.rows,
                           result);
  }
  if (input.observer != nullptr) input.observer->product(linear, input, activation, y);
}

void normalise(const Architecture& architecture, const Norm& norm, const float* x, size_t rows,
               float* out, Scratch& scratch) {
  float* moments = scratch.moments.at_least(2 * rows);
  kernels::layer_norm({.x = x,
                       .rows = rows,
                       .width = architecture.model_dim,
                       .gain = norm.gain,
                       .bias = norm.bias,
                       .epsilon = static_cast<float>(architecture.norm_epsilon)},
                      out, {moments, moments + rows});
}

void last_norm(const Architecture& architecture, const Norm& norm, size_t rows, float* x,
               Scratch& scratch) {
  tell_residual(architecture, norm, x, rows, scratch);
  const TimedPart timed(scratch.times, Part::norm);
  normalise(architecture, norm, x, rows, x, scratch);
}

const float* Residual::before(const float* x, Scratch& scratch) const {
  tell_residual(architecture, norm, x, rows, scratch);
  if (architecture.norm == NormPlacement::post) return x;
  const TimedPart timed(scratch.times, Part::norm);
  float* normed = scratch.normed.at_least(rows * architecture.model_dim);
  normalise(architecture, norm, x, rows, normed, scratch);
  return normed;
}

void Residual::after(const float* change, float* x, Scratch& scratch) const {
  const TimedPart timed(scratch.times, Part::norm);
  add_into(x, change, rows * architecture.model_dim);
  if (architecture.norm == NormPlacement::post) normalise(architecture, norm, x, rows, x, scratch);
}

void feed_forward(const Model& model, const FeedForwardWeights& weights, size_t rows, float* x,
                  Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  const size_t hidden_width = model.architecture.ffn_dim;
  for (size_t first = 0; first < rows; first += kRowsAtATime, x += kRowsAtATime * width) {
    const size_t count = std::min(kRowsAtATime, rows - first);
    const Residual residual{model.architecture, weights.norm, count};
    const float* normed = residual.before(x, scratch);
    float* hidden = scratch.hidden.at_least(count * hidden_width);
    float* change = scratch.change.at_least(count * width);
    {
      const TimedPart timed(scratch.times, Part::feed_forward);
      apply(weights.first, linear_input(model.precision, normed, count, width, scratch), hidden,
            kernels::Activation::relu);
      apply(weights.second, linear_input(model.precision, hidden, count, hidden_width, scratch),
            change);
    }
    residual.after(change, x, scratch);
  }
}

kernels::CodeLists binary_codes(const kernels::CodeThreshold& threshold, const float* x,
                                size_t rows, size_t dim, CodePlace place, size_t layer,
                                Scratch& scratch) {
  uint64_t* bits = scratch.bits.at_least(rows * kernels::code_words(dim));
  kernels::selection_codes(x, dim, rows, dim, threshold, bits);
  const CodeRows codes{place, layer, x, dim, rows, dim, bits};
  if (scratch.observer != nullptr) scratch.observer->codes(codes);
  if (scratch.recorder != nullptr) scratch.recorder->codes(codes);
  return kernels::code_lists(
      bits, rows, dim, scratch.code_positions.at_least(kernels::code_positions_size(rows, dim)),
      scratch.code_counts.at_least(kernels::code_counts_size(rows, dim)));
}

void select(const SelectionWeights& weights, const kernels::CodeLists& codes, float* y) {
  const auto& [packed, bias] = std::get<FloatSelection>(weights.weights);
  if (weights.panels) {
    kernels::select_from_panels(codes, packed, weights.out, bias, y, weights.out);
  } else {
    kernels::select_from_rows(codes, packed, weights.out, bias, y, weights.out);
  }
}

void select(const SelectionWeights& weights, const kernels::CodeLists& codes, int16_t* y) {
  const auto& [packed, bias] = std::get<Int8Selection>(weights.weights);
  const kernels::Int8Packing packing{weights.panels ? kernels::Int8Layout::panels
                                                    : kernels::Int8Layout::rows};
  kernels::select_int8(codes, packed, packing, weights.out, bias, y, weights.out);
}

void embed(const Model& model, const Embedding& embedding, int32_t piece, const float* position,
           float* x) {
  const size_t width = model.architecture.model_dim;
  const float factor = std::sqrt(static_cast<float>(width));
  const auto row = static_cast<size_t>(piece);
  if (const auto* matrix = std::get_if<kernels::Int8Matrix>(&embedding)) {
    kernels::int8_weight_row(*matrix, row, factor, x);
    add_into(x, position, width);
    return;
  }
  const float* weights = std::get<const float*>(embedding) + row * width;
  for (size_t i = 0; i < width; ++i) x[i] = factor * weights[i] + position[i];
}

}  // namespace eatt
