#include "study/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "kernels/isa.h"
#include "study/child.h"
#include "study/inputs.h"
#include "study/runs.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kStateNames = {"waiting", "running",    "done",
                                                         "failed",  "unfinished", "not chosen"};

// What the manifest says of a cell; an empty object if it does not.
Json entry_of(const Json& manifest, const std::string& id) {
  for (const Json& entry : manifest.value("cells", Json::array())) {
    if (entry.value("id", "") == id) return entry;
  }
  return Json::object();
}

// A cell that this command does not train.
CellReport earlier_report(const Cell& cell, const Json& entry, const StudyOptions& all) {
  CellReport report;
  report.cell = cell;
  report.error = difference_of_run(cell, all);
  const std::string state = entry.value("state", "not chosen");
  if (!report.error.empty()) {
    report.state = CellState::failed;
  } else if (is_scored(cell, all)) {
    report.state = CellState::done;
  } else if (state == "failed") {
    report.state = CellState::failed;
    report.error = entry.value("error", "");
  } else {
    report.state = state == "not chosen" ? CellState::not_chosen : CellState::unfinished;
  }
  return report;
}

// How the weights came about stays, whatever machine or program goes on with the study.
void add_training(Json& entry, const CellReport& report, const StudyOptions& options,
                  const Json& before) {
  const StudyFolder folder{options.output};
  const std::string id = report.cell.id();
  if (const RunEnd end = end_of(folder.run_of(id)); end.finished) {
    entry["updates"] = end.updates;
    entry["minutes"] = std::round(end.seconds / 6) / 10;
  }
  const fs::path weights = folder.model_of(id) / "model.safetensors";
  if (report.state != CellState::done || !fs::exists(weights)) return;
  const std::string digest = digest_of_file(weights);
  const bool is_same = before.value("weights_sha256", "") == digest;
  entry["weights_sha256"] = digest;
  entry["version"] = is_same ? before.value("version", options.version) : options.version;
  entry["cpu"] =
      is_same ? before.value("cpu", kernels::cpu_model_name()) : kernels::cpu_model_name();
  if (is_same && !before["commands"].empty()) entry["commands"][0] = before["commands"][0];
}

Json cell_entry(const CellReport& report, const StudyOptions& options, const Json& before) {
  const Cell& cell = report.cell;
  Json entry = {{"id", cell.id()},
                {"title", cell.title},
                {"seed", cell.seed},
                {"state", kStateNames[static_cast<size_t>(report.state)]}};
  if (!report.error.empty()) entry["error"] = report.error;
  entry["commands"] = Json::array();
  for (const Step& step : steps_of(cell, options, std::max(1, options.threads / options.jobs))) {
    entry["commands"].push_back(typed(step.words));
  }
  add_training(entry, report, options, before);
  return entry;
}

}  // namespace

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

std::vector<CellReport> with_earlier_cells(const StudyOptions& all,
                                           const std::vector<CellReport>& reports) {
  const Json manifest = earlier_manifest(all);
  std::vector<CellReport> result = reports;
  for (const Cell& cell : cells_of(all.kinds, all.seeds, all.size)) {
    const auto is_this = [&](const CellReport& report) { return report.cell.id() == cell.id(); };
    if (std::ranges::none_of(reports, is_this))
      result.push_back(earlier_report(cell, entry_of(manifest, cell.id()), all));
  }
  return result;
}

void write_manifest(const StudyOptions& options, const std::vector<CellReport>& reports) {
  Json studies = Json::array();
  for (const StudyKind kind : options.kinds) studies.push_back(name_of(kind));
  const Json before = earlier_manifest(options);
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
  for (const CellReport& report : reports) {
    const Json entry = entry_of(before, report.cell.id());
    manifest["cells"].push_back(cell_entry(report, options, entry));
  }
  write_file_atomically(StudyFolder{options.output}.manifest(), manifest.dump(1) + "\n");
}

}  // namespace eatt::study
