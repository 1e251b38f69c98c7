#pragma once

#include <string>

namespace eatt::cli {

// Build, CPU target and libraries, a line each; what a bug report should carry.
std::string version_text(const std::string& program);

}  // namespace eatt::cli
