#pragma once

#include <string>

namespace eatt {

std::string cpu_model_name();  // "Intel(R) Xeon(R) Processor", or "unknown"

}  // namespace eatt
