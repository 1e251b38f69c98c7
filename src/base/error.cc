#include "base/error.h"

#include <fmt/format.h>

#include <system_error>

namespace eatt {

void expects(bool promise, std::string_view what, const char* file, int line) {
  if (promise) return;
  throw InternalError(fmt::format(
      "{}:{}: broken promise: {}; this is a bug in eatt, please report it", file, line, what));
}

std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace eatt
