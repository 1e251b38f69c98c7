#include "text/corpus/problem_json.h"

#include <nlohmann/json.hpp>

namespace eatt {
namespace {

constexpr std::array<const char*, kPairProblems> kKeys = {"none",      "columns",      "long_line",
                                                          "nul_byte",  "invalid_utf8", "empty",
                                                          "no_pieces", "many_pieces"};

}  // namespace

nlohmann::ordered_json problems_to_json(const ProblemCounts& problems) {
  auto json = nlohmann::ordered_json::object();
  for (size_t i = 0; i < kPairProblems; ++i) {
    const auto& entry = problems.entries[i];
    if (entry.count == 0) continue;
    json[kKeys[i]] = {{"count", entry.count},
                      {"file", entry.first_file},
                      {"line", entry.first_line},
                      {"detail", entry.detail}};
  }
  return json;
}

ProblemCounts problems_from_json(const nlohmann::ordered_json& json) {
  ProblemCounts problems;
  for (size_t i = 0; i < kPairProblems; ++i) {
    if (!json.contains(kKeys[i])) continue;
    const auto& value = json.at(kKeys[i]);
    auto& entry = problems.entries[i];
    value.at("count").get_to(entry.count);
    value.at("file").get_to(entry.first_file);
    value.at("line").get_to(entry.first_line);
    value.at("detail").get_to(entry.detail);
  }
  return problems;
}

}  // namespace eatt
