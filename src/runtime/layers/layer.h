#pragma once

#include <cstddef>
#include <span>

#include "runtime/layers/decoder_state.h"
#include "runtime/layers/model.h"
#include "runtime/layers/scratch.h"

// The layers of encoder and decoder, as the paper describes them. All work in place on
// x [rows, model_dim] without gaps.
namespace eatt {

void encoder_layer(const Model& model, const EncoderLayerWeights& layer,
                   const SourceRows& sentences, float* x, Scratch& scratch);

// Which attention over the source to copy out.
struct WantedAttention {
  size_t layer = 0;
  int head = -1;          // −1: the mean of all.
  float* rows = nullptr;  // [rows, stride]; null: not wanted.
  size_t stride = 0;
};

// The rows of one step of the decoder. The state has been advanced.
struct DecoderStep {
  std::span<const StepRow> rows;
  DecoderState& state;
  WantedAttention wanted = {};
};
void decoder_layer(const Model& model, size_t layer, const DecoderStep& step, float* x,
                   Scratch& scratch);

// After all layers of a stack.
void last_norm(const Model& model, Stack stack, size_t rows, float* x, Scratch& scratch);

}  // namespace eatt
