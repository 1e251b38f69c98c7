#pragma once

#include <functional>
#include <string_view>

#include "bundle/safetensors.h"
#include "runtime/layers/model.h"

namespace eatt {

// The tensors of an int8 bundle by name, in memory that outlives the Model or that it keeps.
using StoredTensors = std::function<TensorView(std::string_view name)>;

// Nothing is copied but W2 of dense attention.
Model make_int8_model(const Architecture& architecture, const StoredTensors& tensors);

}  // namespace eatt
