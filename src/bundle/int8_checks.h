#pragma once

#include <string>

#include "bundle/architecture.h"
#include "bundle/safetensors.h"

namespace eatt {

// The values of an int8 model fit each other: sums are those of their panels, scales are finite and
// above 0, and no selection can leave 16 bits. The tensors are those that check_tensors wants.
// Reads everything; throws an Error that names the first tensor with a wrong value.
void check_int8_values(const std::string& file_name, const Safetensors& weights,
                       const Architecture& architecture);

}  // namespace eatt
