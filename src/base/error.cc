#include "base/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <system_error>

namespace eatt {

void expects(bool promise, std::string_view what, const char* file, int line) {
  if (promise) return;
  throw InternalError(
      fmt::format("{}:{}: internal check failed: {}; this is a bug in eatt, please report it", file,
                  line, what));
}

std::string system_message(int error_number) {
  return std::generic_category().message(error_number);
}

std::string user_message(const std::exception& error) {
  std::string_view text = error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "out of memory; use fewer threads or smaller batches";
  }
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    // "filesystem error: cannot remove: Permission denied [/a/b]"
    constexpr std::string_view kBegin = "filesystem error: ";
    if (text.starts_with(kBegin)) text.remove_prefix(kBegin.size());
    const std::string_view action = text.substr(0, text.find(": "));
    return fmt::format("{}: {}: {}", file->path1().string(), action, file->code().message());
  }
  if (text.starts_with("[json.exception")) {
    const size_t end = text.find("] ");
    if (end != std::string_view::npos) text.remove_prefix(end + 2);
    return fmt::format("found JSON of an unexpected form: {}", text);
  }
  return std::string(text);
}

}  // namespace eatt
