#include "study/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "study/child.h"
#include "study/runs.h"
#include "text/data/data_set_format.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMostBytes = 16 << 20;

Json file_entry(const std::string& path) {
  return {{"path", path}, {"bytes", fs::file_size(path)}, {"sha256", digest_of_file(path)}};
}

Json file_entries(const std::vector<std::string>& files) {
  Json entries = Json::array();
  for (const std::string& file : files) entries.push_back(file_entry(file));
  return entries;
}

std::vector<std::string> checksums(const Json& inputs, const char* key) {
  std::vector<std::string> result;
  for (const Json& file : inputs.value(key, Json::array()))
    result.push_back(file.value("sha256", ""));
  return result;
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

}  // namespace

Json earlier_manifest(const StudyOptions& options) {
  const fs::path path = StudyFolder{options.output}.manifest();
  if (!fs::exists(path)) return Json::object();
  const JsonOrigin origin{path.string(), "choose another --output"};
  return parse_ordered_json(read_file(path, kMostBytes), origin,
                            {.max_bytes = kMostBytes, .max_values = 1 << 20});
}

std::string digest_of_file(const fs::path& file) {
  struct Known {
    uintmax_t bytes;
    fs::file_time_type time;
    std::string digest;
  };
  static std::map<fs::path, Known> all;  // The manifest is written again after each cell.
  const uintmax_t bytes = fs::file_size(file);
  const auto time = fs::last_write_time(file);
  const auto found = all.find(file);
  if (found != all.end() && found->second.bytes == bytes && found->second.time == time)
    return found->second.digest;
  return all.insert_or_assign(file, Known{bytes, time, sha256_of_file(file)}).first->second.digest;
}

Json inputs_of(const StudyOptions& options) {
  Json inputs = {{"recipe", options.recipe},
                 {"train_options", shell_command(options.train_options)}};
  if (!options.prepared.empty()) {
    inputs["prepared"] = options.prepared.string();
    inputs["data_set"] = file_entries({(options.prepared / kDataSetFile).string()});
  }
  inputs["train_sets"] = file_entries(options.train_sets);
  inputs["valid_sets"] = file_entries(options.valid_sets);
  const Json before = earlier_manifest(options).value("inputs", Json::object());
  inputs["test_sets"] = options.test_sets.empty() ? before.value("test_sets", Json::array())
                                                  : file_entries(options.test_sets);
  inputs["search"] = {{"beam_size", options.beam_size}, {"length_penalty", options.length_penalty}};
  inputs["sentences"] = options.sentences.empty() ? before.value("sentences", Json::array())
                                                  : file_entries(options.sentences);
  inputs["settings"] = options.settings;
  return inputs;
}

void take_earlier_test_sets(StudyOptions& options) {
  if (!options.test_sets.empty()) return;
  const Json before = earlier_manifest(options).value("inputs", Json::object());
  for (const Json& file : before.value("test_sets", Json::array())) {
    const std::string path = file.value("path", "");
    if (fs::exists(path) && digest_of_file(path) == file.value("sha256", ""))
      options.test_sets.push_back(path);
  }
  if (options.test_sets.size() != 2) options.test_sets.clear();
}

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
  for (const auto& [key, name] : {std::pair{"recipe", "--recipe "}, {"train_options", "-- "}}) {
    const std::string then = before.value(key, ""), wanted = now.value(key, "");
    if (then != wanted) refuse(fmt::format("with {}{}, not {}{}", name, then, name, wanted));
  }
  const Settings then = before.value("settings", Settings());
  if (const std::string name = first_difference(then, options.settings); !name.empty()) {
    refuse(fmt::format("with --{} {} by the recipe {}, which has {} now", name,
                       shown_setting(then.at(name)), options.recipe,
                       shown_setting(options.settings.at(name))));
  }
  if (checksums(before, "data_set") != checksums(now, "data_set"))
    refuse("on another data set than that of --prepared");
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

}  // namespace eatt::study
