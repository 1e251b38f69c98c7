#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "report/folders.h"

namespace eatt::report {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 16 << 20;
constexpr uint64_t kMostCount = uint64_t{1} << 53;

void add_files(const JsonNode& inputs, const char* key, const std::string& role,
               StudyRecord& record) {
  const auto list = inputs.find(key);
  if (!list) return;
  for (const JsonNode& file : list->items()) {
    record.files.push_back({.role = role,
                            .path = file["path"].text(),
                            .sha256 = file["sha256"].text(),
                            .bytes = file["bytes"].integer(0, kMostCount)});
  }
}

StudyCell cell_of(const JsonNode& node, const fs::path& folder) {
  StudyCell cell{.id = node["id"].text(),
                 .title = node["title"].text(),
                 .state = node["state"].text(),
                 .error = {},
                 .seed = node["seed"].integer(0, kMostCount),
                 .commands = {},
                 .weights_sha256 = {},
                 .version = {},
                 .cpu = {},
                 .run = {}};
  if (const auto error = node.find("error")) cell.error = error->text();
  if (const auto sha = node.find("weights_sha256")) cell.weights_sha256 = sha->text();
  if (const auto version = node.find("version")) cell.version = version->text();
  if (const auto cpu = node.find("cpu")) cell.cpu = cpu->text();
  for (const JsonNode& command : node["commands"].items()) cell.commands.push_back(command.text());
  // The id comes from a file: it must not lead out of the folder.
  const bool is_name = cell.id.find('/') == cell.id.npos && cell.id != "..";
  const fs::path run = folder / "cells" / cell.id;
  if (is_name && is_run(run)) cell.run = read_run(run);
  return cell;
}

}  // namespace

size_t StudyRecord::cells_in(std::string_view state) const {
  return static_cast<size_t>(std::ranges::count(cells, state, &StudyCell::state));
}

std::string StudyRecord::title_of(const std::string& cell_name) const {
  for (const StudyCell& cell : cells) {
    if (cell.id == cell_name + "-s" + std::to_string(cell.seed)) return cell.title;
  }
  return cell_name;
}

bool is_study(const fs::path& folder) { return fs::exists(folder / "study.json"); }

StudyRecord read_study(const fs::path& folder) {
  const fs::path file = folder / "study.json";
  const JsonOrigin origin{file.string(), "run the study again"};
  const nlohmann::json object = parse_json(read_file(file, kMostBytes), origin,
                                           {.max_bytes = kMostBytes, .max_values = 1 << 20});
  const JsonNode root(object, origin), inputs = root["inputs"];
  StudyRecord record;
  record.path = folder;
  record.name = folder.filename().string();
  record.command = root["command"].text();
  record.date = root["date"].text();
  record.version = root["version"].text();
  record.cpu = root["cpu"].text();
  record.instruction_set = root["instruction_set"].text();
  record.threads = root["threads"].integer(0, kMostCount);
  record.jobs = root["jobs"].integer(0, kMostCount);
  record.seeds = root["seeds"].integer(0, kMostCount);
  for (const JsonNode& study : root["studies"].items()) record.studies.push_back(study.text());
  record.recipe = inputs["recipe"].text();
  record.train_options = inputs["train_options"].text();
  add_files(inputs, "data_set", "training, as a data set", record);
  add_files(inputs, "train_sets", "training", record);
  add_files(inputs, "valid_sets", "dev", record);
  add_files(inputs, "test_sets", "test", record);
  for (const JsonNode& cell : root["cells"].items()) record.cells.push_back(cell_of(cell, folder));
  if (fs::exists(folder / "results.json"))
    record.results = study::read_results(folder / "results.json");
  return record;
}

}  // namespace eatt::report
