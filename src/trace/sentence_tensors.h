#pragma once

#include "trace/plain_model.h"
#include "trace/recorder.h"
#include "trace/tensor_list.h"

namespace eatt::trace {

// Everything that was recorded of a sentence, with the whole numbers on the way that fast kernels
// never store: computed again in plain loops, and an InternalError if these do not lead to the very
// bits that were recorded. docs/trace-format.md has the names.
TensorList sentence_tensors(const PlainModel& model, const Recording& recording);

}  // namespace eatt::trace
