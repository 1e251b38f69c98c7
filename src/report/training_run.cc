#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "base/text/unicode.h"
#include "report/folders.h"

namespace eatt::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMostBytes = 16 << 20;

// A number of an event; nothing if it is missing or something else.
std::optional<double> number(const json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<uint64_t> count(const json& event, const char* key) {
  const auto value = number(event, key);
  if (!value || !(*value >= 0 && *value < 1e18)) return std::nullopt;
  return static_cast<uint64_t>(*value);
}

// What a training does again after it went back to a checkpoint replaces what it did before.
void add_point(std::vector<chart::Point>& curve, double update, std::optional<double> value) {
  if (!value) return;
  while (!curve.empty() && curve.back().x >= update) curve.pop_back();
  curve.push_back({update, *value});
}

void add_validation(const json& event, double update, TrainingRun& run) {
  const auto loss = number(event, "cross_entropy");
  std::optional<double> bleu;
  if (const auto found = event.find("bleu"); found != event.end() && found->is_object())
    bleu = number(*found, "score");
  add_point(run.dev_cross_entropy, update, loss);
  add_point(run.dev_bleu, update, bleu);
  const auto best = event.find("best");
  if (best == event.end() || !best->is_boolean() || !best->get<bool>()) return;
  run.best_update = static_cast<uint64_t>(update);
  run.best_cross_entropy = loss;
  run.best_bleu = bleu;
}

// False for what is no event of a training.
bool add_event(const json& event, TrainingRun& run) {
  if (!event.is_object()) return false;
  const auto kind = event.find("event");
  if (kind == event.end() || !kind->is_string()) return false;
  const std::string name = kind->get<std::string>();
  if (const auto update = count(event, "update")) run.update = *update;
  if (const auto seconds = number(event, "seconds")) run.seconds = *seconds;
  const auto update = static_cast<double>(run.update);
  run.state = name == "finished"  ? RunState::finished
              : name == "stopped" ? RunState::stopped
                                  : RunState::unfinished;
  if (name == "started") {
    run.parameters = count(event, "parameters");
    run.threads = count(event, "threads");
    run.pairs = count(event, "pairs");
  } else if (name == "progress") {
    add_point(run.loss, update, number(event, "loss"));
  } else if (name == "validation") {
    add_validation(event, update, run);
  }
  return true;
}

void read_log(const fs::path& file, TrainingRun& run) {
  std::ifstream lines(file);
  if (!lines) throw Error(fmt::format("{}: cannot be read", file.string()));
  size_t events = 0;
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (add_event(event, run)) ++events;
  }
  if (events == 0)
    throw Error(
        fmt::format("{}: has no event of a training; give the folder of a run of "
                    "`eatt train`",
                    file.string()));
}

// training.toml as training writes it: lines of `name = value  # help`.
void read_settings(const fs::path& file, TrainingRun& run) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos) continue;
    std::string value(strip(std::string_view(line).substr(equals + 1)));
    if (value.starts_with('"')) {
      value = value.substr(1, value.find('"', 1) - 1);
    } else {
      value = strip(std::string_view(value).substr(0, value.find('#')));
    }
    run.settings.emplace_back(strip(std::string_view(line).substr(0, equals)), value);
  }
}

void append_words(std::string& text, const json& value) {
  if (value.is_array()) {
    for (const json& item : value) append_words(text, item);
  } else {
    (text += text.empty() ? "" : " ") +=
        value.is_string() ? value.get<std::string>() : value.dump();
  }
}

// Texts and checksums, by the names that run.json gives them.
void read_record(const fs::path& file, TrainingRun& run) {
  if (!fs::exists(file)) return;
  const JsonOrigin origin{file.string(), "give the folder of a run of `eatt train`"};
  const json record = parse_json(read_file(file, kMostBytes), origin, {.max_bytes = kMostBytes});
  using Names = std::initializer_list<std::pair<const char*, const char*>>;
  const auto add = [&](const std::string& name, const json& value) {
    std::string text;
    append_words(text, value);
    // The checksums of two files follow each other without a space.
    if (text.size() == 128 && text.find_first_not_of("0123456789abcdef") == text.npos)
      text.insert(64, 1, ' ');
    run.data.emplace_back(name, text);
  };
  if (!record.is_object()) return;
  if (const auto data = record.find("data"); data != record.end() && data->is_object()) {
    for (const auto& [key, name] : Names{{"source_language", "source language"},
                                         {"target_language", "target language"},
                                         {"train_sets", "training text"},
                                         {"valid_sets", "dev text"}}) {
      if (data->contains(key)) add(name, (*data)[key]);
    }
  }
  for (const auto& [key, name] : Names{{"--train-sets", "SHA-256 of the training text"},
                                       {"training data", "SHA-256 of the data set"},
                                       {"--valid-sets", "SHA-256 of the dev text"}}) {
    if (record.contains(key)) add(name, record[key]);
  }
}

}  // namespace

std::string TrainingRun::setting(std::string_view wanted) const {
  for (const auto& [key, value] : settings) {
    if (key == wanted) return value;
  }
  return {};
}

bool is_run(const fs::path& folder) { return fs::exists(folder / "log.jsonl"); }

TrainingRun read_run(const fs::path& folder) {
  TrainingRun run;
  run.path = folder;
  run.name = folder.filename().string();
  read_log(folder / "log.jsonl", run);
  read_settings(folder / "training.toml", run);
  read_record(folder / "run.json", run);
  return run;
}

}  // namespace eatt::report
