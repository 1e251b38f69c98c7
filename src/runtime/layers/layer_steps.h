#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "bundle/architecture.h"
#include "bundle/manifest.h"
#include "runtime/layers/model.h"
#include "runtime/layers/scratch.h"

// The steps that layers are made of, on rows [rows, width] without gaps.
namespace eatt {

// Rows as linear maps of the model's precision read them: quantized once for all maps. Valid until
// the next call.
struct LinearInput {
  const float* x = nullptr;
  size_t rows = 0;
  size_t width = 0;
  std::optional<kernels::QuantizedRows> quantized = std::nullopt;  // For int8.
  StepObserver* observer = nullptr;                                // Of the products.
};
LinearInput linear_input(Precision precision, const float* x, size_t rows, size_t width,
                         Scratch& scratch);

// y [rows, outputs(linear)]
void apply(const Linear& linear, const LinearInput& input, float* y,
           kernels::Activation activation = kernels::Activation::none);

// The frame of a sub-layer around its change of x [rows, model_dim].
struct Residual {
  const Architecture& architecture;
  const Norm& norm;
  size_t rows;

  // What the sub-layer reads: x normed, or x itself where the norm comes after.
  const float* before(const float* x, Scratch& scratch) const;
  // x + change, normed where the norm comes after.
  void after(const float* change, float* x, Scratch& scratch) const;
};

// out may be x.
void normalise(const Architecture& architecture, const Norm& norm, const float* x, size_t rows,
               float* out, Scratch& scratch);

// After all layers of a stack, in place.
void last_norm(const Architecture& architecture, const Norm& norm, size_t rows, float* x,
               Scratch& scratch);

// One feed-forward sub-layer, in place.
void feed_forward(const Model& model, const FeedForwardWeights& weights, size_t rows, float* x,
                  Scratch& scratch);

// Codes f(x) of x [rows, model_dim] as lists; valid until the next call.
kernels::CodeLists binary_codes(const kernels::CodeThreshold& threshold, const float* x,
                                size_t rows, size_t dim, CodePlace place, size_t layer,
                                Scratch& scratch);

// y [rows, out] = selected rows: floats, or whole numbers.
void select(const SelectionWeights& weights, const kernels::CodeLists& codes, float* y);
void select(const SelectionWeights& weights, const kernels::CodeLists& codes, int16_t* y);

inline bool selects_whole_numbers(const SelectionWeights& weights) {
  return std::holds_alternative<Int8Selection>(weights.weights);
}

// x [model_dim] = √model_dim · embedding + position
void embed(const Model& model, const Embedding& embedding, int32_t piece, const float* position,
           float* x);

}  // namespace eatt
