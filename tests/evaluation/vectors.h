#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace eatt::evaluation {

// The rows of a tab-separated table, by the names in its first line.
using TableRow = std::map<std::string, std::string>;
std::vector<TableRow> read_table(const std::filesystem::path& path);

// As in the tables: 10 decimals.
std::string ten_decimals(double value);
std::string six_decimals(double value);

// 1,2,3
std::string join(const auto& numbers) {
  std::string text;
  for (const auto& number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

// Without the version, which is ours.
std::string without_version(const std::string& signature);

}  // namespace eatt::evaluation
