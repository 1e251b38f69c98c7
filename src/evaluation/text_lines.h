#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::evaluation {

// A text, one sentence per line, white space at the ends of lines removed. Only a line feed ends a
// line, and the last may lack it.
class TextLines {
 public:
  // Plain or gzip; "-" is standard input. Throws an Error if it cannot be read, is empty or is not
  // UTF-8.
  static TextLines read_file(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  const std::vector<std::string_view>& lines() const { return lines_; }

 private:
  void split();

  std::string name_;
  std::vector<char> bytes_;  // Not a string: its bytes stay in place when the object moves.
  std::vector<std::string_view> lines_;
};

// Throws an Error that names both if their numbers of lines differ.
void expect_same_length(const TextLines& hypothesis, const TextLines& reference);

}  // namespace eatt::evaluation
