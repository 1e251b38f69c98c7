#include "base/text/conversion_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text/printable.h"

namespace eatt {

std::string shell_quoted(const std::string& name) {
  constexpr std::string_view kPlain = "/._-+,:@%=";
  const auto is_plain = [&](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || kPlain.find(static_cast<char>(c)) != kPlain.npos;
  };
  if (!name.empty() && name.front() != '-' && std::ranges::all_of(name, is_plain)) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string conversion_advice(const std::string& name) {
  if (name == "standard input") {
    return "convert it with `iconv -f latin1 -t utf-8` on the way (if it is Latin-1)";
  }
  // test.de becomes test.utf8.de, so that its language still shows.
  std::filesystem::path converted = name;
  const std::string ending = converted.extension().string();
  converted.replace_extension(".utf8" + ending);
  return fmt::format("convert it with `iconv -f latin1 -t utf-8 {} > {}` (if it is Latin-1)",
                     printable(shell_quoted(name)), printable(shell_quoted(converted.string())));
}

}  // namespace eatt
