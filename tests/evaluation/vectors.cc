#include "evaluation/vectors.h"

#include <fmt/format.h>

#include <sstream>

#include "support/files.h"

namespace eatt::evaluation {

std::vector<TableRow> read_table(const std::filesystem::path& path) {
  std::vector<TableRow> rows;
  std::vector<std::string> names;
  for (const std::string& line : testing::split_lines(testing::read_text(path))) {
    std::istringstream stream(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    if (names.empty()) {
      names = fields;
      continue;
    }
    fields.resize(names.size());
    TableRow row;
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

std::string ten_decimals(double value) { return fmt::format("{:.10f}", value); }

std::string six_decimals(double value) { return fmt::format("{:.6f}", value); }

std::string without_version(const std::string& signature) {
  return signature.substr(0, signature.find("|version:"));
}

}  // namespace eatt::evaluation
