#pragma once

#include <string>

namespace eatt {

std::string cpu_model_name();  // "Intel(R) Xeon(R) Processor", or "unknown"

// The widest vector instructions this CPU has, of those that matter to us:
// avx512-vnni, avx512, avx2, sse4, neon, scalar.
std::string cpu_instruction_set();

}  // namespace eatt
