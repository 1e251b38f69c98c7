#pragma once

#include <cstddef>
#include <vector>

#include "runtime/layers/layer.h"

// A batch through the whole model.
namespace eatt {

// x [rows, model_dim]: what the decoder reads. positions [longest, model_dim].
void encode(const Model& model, const SourceRows& source, const float* positions, float* x,
            Scratch& scratch);

// Keys and values of every cross-attention, from the encoder's output [source rows, model_dim]:
// once for a batch.
void remember_source(const Model& model, const float* encoded, DecoderState& state,
                     Scratch& scratch);

// One position further for every row: x [rows, model_dim] is what the output layer reads.
// position [model_dim].
void decode_step(const Model& model, const DecoderStep& step, const float* position, float* x,
                 Scratch& scratch);

// Sinusoidal positions [length, model_dim]: with h = model_dim/2, sin(p·f_i) at i and cos(p·f_i) at
// h+i, for i = 0 … h−1 and f_i = 10000^(−i/(h−1)).
std::vector<float> sinusoidal_rows(size_t length, size_t model_dim);

}  // namespace eatt
