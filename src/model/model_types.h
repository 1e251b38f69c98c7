#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/attention.h"

namespace eatt {

// Where dropout strikes in training; all off makes a model deterministic.
struct DropoutRates {
  double residual = 0.1;   // On embeddings and on the result of every sub-layer.
  double attention = 0.0;  // On attention weights.
  double ffn = 0.0;        // On the feed-forward's hidden units.
};

struct ModelTraining {
  DropoutRates dropout;
  double surrogate_width = 1.0;    // See binarise().
  std::shared_ptr<Random> random;  // See dropout().
};

// Sentences of one side, padded to the longest.
struct TokenBatch {
  torch::Tensor tokens;   // [batch, len], whole numbers
  torch::Tensor lengths;  // [batch]; tokens at or beyond are padding
};

// What the decoder reads of the encoder; made once per batch.
struct Memory {
  torch::Tensor states;  // [batch, source_len, model_dim], normed
  SelectionCodes codes;  // f(states) for cross-attention that binarises; else undefined
  torch::Tensor lengths;
};

// Filled when asked for: one entry per layer.
struct ModelTrace {
  bool wants_weights = true;  // See AttentionTrace.
  std::vector<AttentionTrace> encoder_self = {}, decoder_self = {}, cross = {};
};

}  // namespace eatt
