#pragma once

#include <string>
#include <vector>

#include "runtime/model.h"

namespace eatt {

// "encoder.layers.0.self_attn." and its like.
std::string attention_prefix(Role role, size_t layer);

// What the queries of an attention layer (and, for distances, its keys) are still to be multiplied
// with, per head: 1 where the weights carry the scale of the scores already.
std::vector<float> score_factors(const Architecture& architecture, Role role, size_t layer,
                                 const FloatTensors& tensors);

}  // namespace eatt
