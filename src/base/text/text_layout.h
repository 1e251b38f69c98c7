#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// Columns a terminal needs for UTF-8 text: one per code point, which holds for the letters, digits,
// Greek and superscripts that reports use (not for Chinese).
size_t display_width(std::string_view text);

// Breaks text at spaces into lines of at most `columns`. The first line starts with `lead`
// ("  [a] "), the others are indented by its width. Each line ends with a newline.
std::string wrap_text(std::string_view text, size_t columns, std::string_view lead = {});

// The text with spaces in place of its line breaks, which a model may generate.
std::string one_line(std::string text);

// A table for the terminal: as wide as its cells, two spaces between columns, no rules. A column
// with nothing in any row is not shown.
class TextTable {
 public:
  enum class Align { left, right };

  explicit TextTable(std::vector<Align> columns);

  // A row may be shorter than the table; what is missing stays empty.
  void add_row(std::vector<std::string> cells);

  // Every line ends with a newline and has no trailing spaces.
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace eatt
