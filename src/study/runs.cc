#include "study/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

namespace eatt::study {
namespace {

namespace fs = std::filesystem;

// Settings of what a training reports and keeps, and of the data set, which is compared by itself.
constexpr std::array<std::string_view, 9> kNotCompared = {
    "disp-freq",  "joint-vocab",     "keep-best",       "keep-last", "save-freq",
    "valid-freq", "source-language", "target-language", "vocab-size"};

// Those of the recipe and of the words after --, and then those of the cell.
Settings settings_of(const Cell& cell, const StudyOptions& options) {
  Settings settings = options.settings;
  for (const auto* own : {&cell.options, &cell.teacher_options}) {
    for (size_t i = 0; i + 1 < own->size(); i += 2) settings[(*own)[i].substr(2)] = (*own)[i + 1];
  }
  settings["seed"] = std::to_string(cell.seed);
  return settings;
}

}  // namespace

RunEnd end_of(const fs::path& run) {
  std::ifstream log(run / "log.jsonl");
  RunEnd end;
  for (std::string line; std::getline(log, line);) {
    if (line.empty()) continue;
    const auto event = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    end.finished = event.is_object() && event.value("event", "") == "finished";
    if (!end.finished) continue;
    end.updates = event.value("update", uint64_t{0});
    end.seconds = event.value("seconds", 0.0);
  }
  return end;
}

Settings read_settings(std::istream& lines) {
  Settings settings;
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find(" = ");
    if (line.starts_with('#') || equals == line.npos) continue;
    std::string value = line.substr(equals + 3);
    if (value.starts_with('"')) {
      value = value.substr(1, value.find('"', 1) - 1);
    } else {
      value = value.substr(0, value.find_first_of(" #"));
    }
    settings[line.substr(0, equals)] = value;
  }
  return settings;
}

std::string first_difference(const Settings& ours, const Settings& theirs) {
  for (const auto& [name, value] : ours) {
    if (std::ranges::find(kNotCompared, name) != kNotCompared.end()) continue;
    const auto other = theirs.find(name);
    if (other != theirs.end() && other->second != value) return name;
  }
  return {};
}

std::string shown_setting(const std::string& value) { return value.empty() ? "''" : value; }

std::string difference_of_run(const Cell& cell, const StudyOptions& options) {
  const fs::path run = StudyFolder{options.output}.run_of(cell.id());
  std::ifstream file(run / "training.toml");
  if (!file || !end_of(run).finished) return {};
  const Settings found = read_settings(file), expected = settings_of(cell, options);
  const std::string name = first_difference(found, expected);
  if (name.empty()) return {};
  return fmt::format(
      "{} was trained with --{} {}, not {}; move it away, and the same command trains the cell",
      run.string(), name, shown_setting(found.at(name)), shown_setting(expected.at(name)));
}

}  // namespace eatt::study
