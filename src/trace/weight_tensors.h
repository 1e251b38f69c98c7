#pragma once

#include "trace/plain_model.h"
#include "trace/tensor_list.h"

namespace eatt::trace {

// weights.safetensors of a trace: docs/trace-format.md has the names.
TensorList weight_tensors(const PlainModel& model);

}  // namespace eatt::trace
