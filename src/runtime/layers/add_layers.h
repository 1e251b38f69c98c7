#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "runtime/layers/model.h"

namespace eatt {

// Everything of a model but its embeddings and output layer, in whatever precision `weights` gives:
//   attention(role, layer), feed_forward("encoder.layers.0."), norm("encoder.layer_norm"),
//   threshold("decoder.cross_attn.k_threshold").
template <class Weights>
void add_layers(const Architecture& a, Weights& weights, Model& model) {
  model.architecture = a;
  for (size_t i = 0; i < a.encoder_self.layers.size(); ++i) {
    model.encoder.push_back({weights.attention(Role::encoder_self, i),
                             weights.feed_forward(fmt::format("encoder.layers.{}.", i))});
  }
  for (size_t i = 0; i < a.decoder_self.layers.size(); ++i) {
    model.decoder.push_back({weights.attention(Role::decoder_self, i),
                             weights.attention(Role::cross, i),
                             weights.feed_forward(fmt::format("decoder.layers.{}.", i))});
  }
  if (a.norm == NormPlacement::pre) {
    model.encoder_norm = weights.norm("encoder.layer_norm");
    model.decoder_norm = weights.norm("decoder.layer_norm");
  }
  if (std::ranges::any_of(a.cross.layers, binarises)) {
    model.memory_threshold = weights.threshold("decoder.cross_attn.k_threshold");
  }
}

}  // namespace eatt
