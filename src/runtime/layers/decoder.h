#pragma once

#include <cstdint>
#include <span>

#include "runtime/layers/decoder_state.h"
#include "runtime/layers/model.h"
#include "runtime/layers/scratch.h"
#include "runtime/search/step_model.h"

namespace eatt {

// Keys and values of every cross-attention, from the encoder's output [source rows, model_dim]:
// once for a batch. The output is binarised once for all layers.
void remember_source(const Model& model, const float* encoded, DecoderState& state,
                     Scratch& scratch);

// Attention over the source that somebody wants to see.
struct WantedAttention {
  size_t layer = 0;
  int head = -1;          // −1: the mean of all.
  float* rows = nullptr;  // [rows, stride]; null: not wanted.
  size_t stride = 0;
};

// One position further for every row, whose state was advanced: x [rows, model_dim] is what the
// output layer reads. position [model_dim].
void decode_step(const Model& model, std::span<const StepRow> rows, const float* position,
                 const WantedAttention& wanted, DecoderState& state, float* x, Scratch& scratch);

}  // namespace eatt
