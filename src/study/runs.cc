#include "study/runs.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

namespace eatt::study {
namespace {

namespace fs = std::filesystem;

// Settings that make one cell another model than its neighbor, or a longer training.
constexpr std::array<const char*, 13> kCompared = {
    "after",        "seed",    "preset",      "attention", "encoder-self",
    "decoder-self", "cross",   "code-levels", "threshold", "attention-dim",
    "model-dim",    "ffn-dim", "distill-maps"};

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

std::string difference_of_run(const Cell& cell, const StudyOptions& options) {
  const fs::path run = StudyFolder{options.output}.run_of(cell.id());
  std::ifstream file(run / "training.toml");
  if (!file || !end_of(run).finished) return {};
  const Settings found = read_settings(file), expected = settings_of(cell, options);
  for (const char* name : kCompared) {
    const auto theirs = found.find(name), ours = expected.find(name);
    if (theirs == found.end() || ours == expected.end() || theirs->second == ours->second) continue;
    const auto shown = [](const std::string& value) { return value.empty() ? "''" : value; };
    return fmt::format(
        "{} was trained with --{} {}, not {}; move it away, and the same command trains the cell",
        run.string(), name, shown(theirs->second), shown(ours->second));
  }
  return {};
}

}  // namespace eatt::study
