#include "study/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "kernels/isa.h"
#include "study/child.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMostBytes = 16 << 20;
constexpr std::array<std::string_view, 4> kStateNames = {"waiting", "running", "done", "failed"};

Json read_manifest(const fs::path& path) {
  const JsonOrigin origin{path.string(), "choose another --output"};
  return parse_ordered_json(read_file(path, kMostBytes), origin,
                            {.max_bytes = kMostBytes, .max_values = 1 << 20});
}

Json file_entry(const std::string& path) {
  return {{"path", path}, {"bytes", fs::file_size(path)}, {"sha256", sha256_of_file(path)}};
}

Json file_entries(const std::vector<std::string>& files) {
  Json entries = Json::array();
  for (const std::string& file : files) entries.push_back(file_entry(file));
  return entries;
}

Json inputs_of(const StudyOptions& options) {
  Json inputs = {{"recipe", options.recipe},
                 {"train_options", shell_command(options.train_options)}};
  if (!options.prepared.empty()) inputs["prepared"] = options.prepared.string();
  inputs["train_sets"] = file_entries(options.train_sets);
  inputs["valid_sets"] = file_entries(options.valid_sets);
  inputs["test_sets"] = file_entries(options.test_sets);
  inputs["search"] = {{"beam_size", options.beam_size}, {"length_penalty", options.length_penalty}};
  return inputs;
}

std::vector<std::string> checksums(const Json& inputs, const char* key) {
  std::vector<std::string> result;
  for (const Json& file : inputs.value(key, Json::array()))
    result.push_back(file.value("sha256", ""));
  return result;
}

// The manifest of an earlier command in this folder; an empty object if there is none.
Json earlier_manifest(const StudyOptions& options) {
  const fs::path path = StudyFolder{options.output}.manifest();
  return fs::exists(path) ? read_manifest(path) : Json::object();
}

void refuse_other_files(const fs::path& folder) {
  constexpr std::array<std::string_view, 13> kOurs = {
      "alignments.json", "case-source", "case-target", "cells",       "data",
      "energy-text",     "logs",        "report.html", "results.csv", "results.json",
      "results.md",      "scores",      "study.json"};
  if (!fs::exists(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || std::ranges::find(kOurs, name) != kOurs.end()) continue;
    throw Error(
        fmt::format("--output {} holds files that eatt did not make ({}); choose another "
                    "folder for the study",
                    folder.string(), name));
  }
}

Json cell_entry(const CellReport& report, const StudyOptions& options) {
  const Cell& cell = report.cell;
  Json entry = {{"id", cell.id()},
                {"title", cell.title},
                {"seed", cell.seed},
                {"state", kStateNames[static_cast<size_t>(report.state)]}};
  if (!report.error.empty()) entry["error"] = report.error;
  entry["commands"] = Json::array();
  for (const Step& step : steps_of(cell, options, std::max(1, options.threads / options.jobs))) {
    entry["commands"].push_back(shell_command(step.words));
  }
  const fs::path weights = StudyFolder{options.output}.model_of(cell.id()) / "model.safetensors";
  if (report.state == CellState::done && fs::exists(weights)) {
    entry["weights_sha256"] = sha256_of_file(weights);
  }
  return entry;
}

}  // namespace

void remove_scores(const StudyFolder& folder, std::string_view ending) {
  for (const auto& entry : fs::directory_iterator(folder.path / "scores")) {
    if (entry.path().string().ends_with(ending)) fs::remove(entry.path());
  }
}

void check_folder(const StudyOptions& options) {
  const StudyFolder folder{options.output};
  refuse_other_files(folder.path);
  const Json before = earlier_manifest(options).value("inputs", Json::object());
  const bool has_cells = fs::exists(folder.path / "cells") && !fs::is_empty(folder.path / "cells");
  if (before.empty() || !has_cells) return;
  const Json now = inputs_of(options);
  const auto refuse = [&](const std::string& difference) {
    throw Error(fmt::format(
        "{}: its models were trained {}, so they could not be compared; choose another --output",
        options.output.string(), difference));
  };
  for (const auto& [key, name] :
       {std::pair{"recipe", "--recipe "}, {"prepared", "--prepared "}, {"train_options", "-- "}}) {
    const std::string then = before.value(key, ""), wanted = now.value(key, "");
    if (then != wanted) refuse(fmt::format("with {}{}, not {}{}", name, then, name, wanted));
  }
  if (checksums(before, "train_sets") != checksums(now, "train_sets"))
    refuse("on other text than that of --train-sets");
  if (checksums(before, "valid_sets") != checksums(now, "valid_sets"))
    refuse("with other text than that of --valid-sets");
  const Json greedy = {{"beam_size", 1}, {"length_penalty", 0.0}};
  const bool other_search = before.value("search", greedy) != now["search"];
  const bool other_test =
      !options.test_sets.empty() && checksums(before, "test_sets") != checksums(now, "test_sets");
  if (other_search) remove_scores(folder, ".dev.json");
  if (other_search || other_test) remove_scores(folder, ".test.json");
}

StudyOptions with_earlier_studies(const StudyOptions& options) {
  const Json manifest = earlier_manifest(options);
  const Json before = manifest.value("studies", Json::array());
  StudyOptions all = options;
  all.kinds.clear();
  for (size_t i = 0; i < kStudyNames.size(); ++i) {
    const auto kind = static_cast<StudyKind>(i);
    const bool wanted = std::ranges::find(options.kinds, kind) != options.kinds.end();
    if (wanted || std::ranges::find(before, Json(kStudyNames[i])) != before.end())
      all.kinds.push_back(kind);
  }
  all.seeds = std::max(options.seeds, manifest.value("seeds", 1));
  return all;
}

void write_manifest(const StudyOptions& options, const std::vector<CellReport>& reports) {
  Json studies = Json::array();
  for (const StudyKind kind : options.kinds) studies.push_back(name_of(kind));
  Json manifest = {{"command", options.command},
                   {"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
                   {"version", options.version},
                   {"cpu", kernels::cpu_model_name()},
                   {"instruction_set", kernels::chosen_isa().name},
                   {"threads", options.threads},
                   {"jobs", options.jobs},
                   {"seeds", options.seeds},
                   {"studies", studies},
                   {"inputs", inputs_of(options)},
                   {"cells", Json::array()}};
  for (const CellReport& report : reports) manifest["cells"].push_back(cell_entry(report, options));
  write_file_atomically(StudyFolder{options.output}.manifest(), manifest.dump(1) + "\n");
}

}  // namespace eatt::study
