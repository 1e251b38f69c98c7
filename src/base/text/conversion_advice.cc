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

bool is_utf16(std::string_view text) {
  constexpr size_t kEnoughForALineEnd = 1000;  // Which has a NUL byte, whatever the script.
  const bool has_mark = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  return has_mark && text.substr(0, kEnoughForALineEnd).find('\0') != text.npos;
}

std::string conversion_advice(const std::string& name, std::string_view text) {
  const bool utf16 = is_utf16(text);
  if (!utf16 && text.find('\0') != text.npos) return "it looks like a binary file, not like text";
  const char* const encoding = utf16 ? "utf-16" : "latin1";
  const char* const doubt = utf16 ? "" : " (if it is Latin-1)";
  if (name == "standard input") {
    return fmt::format("convert it with `iconv -f {} -t utf-8` on the way{}", encoding, doubt);
  }
  // test.de becomes test.utf8.de, so that its ending still names the language.
  std::filesystem::path converted = name;
  const std::string ending = converted.extension().string();
  converted.replace_extension(".utf8" + ending);
  return fmt::format("convert it with `iconv -f {} -t utf-8 {} > {}`{}", encoding,
                     printable(shell_quoted(name)), printable(shell_quoted(converted.string())),
                     doubt);
}

}  // namespace eatt
