#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/search/step_model.h"

namespace eatt {

// The most pieces that a model can be made to say, with room for the end marker.
size_t most_forced_pieces(const StepModel& model);

// Throws an Error if there are more, or one is a marker or outside the vocabulary. `what` is how
// the message calls them.
void check_forced_pieces(std::span<const int32_t> pieces, const StepModel& model,
                         std::string_view what);

}  // namespace eatt
