#include "base/text/text_layout.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace eatt {
namespace {

constexpr std::string_view kColumnGap = "  ";

}  // namespace

size_t display_width(std::string_view text) {
  const auto starts_code_point = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  };
  return static_cast<size_t>(std::ranges::count_if(text, starts_code_point));
}

std::string wrap_text(std::string_view text, size_t columns, std::string_view lead) {
  const std::string indent(display_width(lead), ' ');
  std::string lines(lead);
  size_t used = indent.size();
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const size_t width = display_width(word);
    if (!line_is_empty && used + 1 + width > columns) {
      lines += "\n" + indent;
      used = indent.size();
      line_is_empty = true;
    }
    if (!line_is_empty) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += width;
    line_is_empty = false;
  }
  return lines + "\n";
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

TextTable::TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  expects(cells.size() <= columns_.size(), "a row has no more cells than the table has columns");
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string lines;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      if (!line.empty()) line += kColumnGap;
      line += columns_[i] == Align::right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line + "\n";
  }
  return lines;
}

}  // namespace eatt
