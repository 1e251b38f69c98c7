#pragma once

#include <string>
#include <vector>

#include "runtime/layers/model.h"

namespace eatt {

// "encoder.layers.0.self_attn." and its like.
std::string attention_prefix(Role role, size_t layer);

// What the queries of an attention layer (and, for distances, its keys) are still to be multiplied
// with, per head: 1 where the weights carry the scale of the scores already.
// `attention` is the layer's prefix.
std::vector<double> score_factors(const Architecture& architecture, Role role,
                                  const std::string& attention, const FloatTensors& tensors);

}  // namespace eatt
