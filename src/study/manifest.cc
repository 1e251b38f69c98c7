#include "study/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

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

// What all cells must have in common to be comparable.
Json common_part(const StudyOptions& options) {
  Json part = {{"recipe", options.recipe}, {"train_options", options.train_options}};
  if (!options.prepared.empty()) part["prepared"] = options.prepared.string();
  for (const auto& [name, files] :
       {std::pair{"train_sets", &options.train_sets}, std::pair{"valid_sets", &options.valid_sets},
        std::pair{"test_sets", &options.test_sets}}) {
    part[name] = Json::array();
    for (const std::string& file : *files) part[name].push_back(file_entry(file));
  }
  return part;
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

void check_manifest(const StudyOptions& options) {
  const fs::path path = StudyFolder{options.output}.manifest();
  if (!fs::exists(path)) return;
  const Json before = read_manifest(path).value("inputs", Json::object());
  const Json now = common_part(options);
  for (const auto& [key, value] : now.items()) {
    if (before.value(key, Json()) == value) continue;
    throw Error(fmt::format(
        "{}: belongs to a study with another {}; its models could not be compared; choose another "
        "--output",
        options.output.string(), key));
  }
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
                   {"inputs", common_part(options)},
                   {"cells", Json::array()}};
  for (const CellReport& report : reports) manifest["cells"].push_back(cell_entry(report, options));
  write_file_atomically(StudyFolder{options.output}.manifest(), manifest.dump(1) + "\n");
}

}  // namespace eatt::study
