#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/utf8.h"
#include "bundle/bundle.h"
#include "text/corpus/languages.h"
#include "training/options/training_options.h"
#include "training/run/checkpoint.h"
#include "training/run/training_inputs.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kStandardInput[] = "standard input";

// The first file of a side (" source" or " target") that a data set was made of. Its plan names it
// as "train.en, 1801238 bytes, modified …".
TextFile prepared_from(const DataSetInfo& info, std::string_view side) {
  for (const auto& [key, value] : info.made_with) {
    if (!key.ends_with(side)) continue;
    const size_t name_end = value.rfind(", ", value.rfind(" bytes, modified"));
    return value.substr(0, name_end);
  }
  return {};
}

// Empty if no file ending names a language.
Direction direction_of_files(const TrainingPlan& plan) {
  if (!plan.train_sets.empty() && !plan.train_sets.front().is_tsv()) {
    const PairInput& first = plan.train_sets.front();
    return {language_of(first.source), language_of(first.target)};
  }
  if (!plan.prepared.empty()) {
    const DataSetInfo info = DataSet(plan.prepared).info();
    const Direction found = {language_of(prepared_from(info, " source")),
                             language_of(prepared_from(info, " target"))};
    if (!found.source.empty() && !found.target.empty()) return found;
  }
  return {language_of(plan.valid_source.string()), language_of(plan.valid_target.string())};
}

// JSON must be UTF-8; a path may be anything.
std::string full_path(const fs::path& path) {
  return path == "-" ? kStandardInput : replace_invalid_utf8(fs::absolute(path).string());
}

// What full_path() was made of.
std::string given_path(const std::string& recorded) {
  return recorded == kStandardInput ? "-" : recorded;
}

// A bundle for other languages can be a useful start; one for the opposite direction is a mistake.
void check_bundle_languages(const Direction& direction, const char* option, const fs::path& path) {
  if (path.empty() || direction.source == direction.target) return;
  const Manifest manifest = Bundle::open(path, {.verify_hashes = false}).manifest();
  if (manifest.source_language != direction.target ||
      manifest.target_language != direction.source) {
    return;
  }
  throw UsageError(fmt::format(
      "{} {} translates from {} to {}, but this run from {} to {}; give a model of the same "
      "direction",
      option, path.string(), manifest.source_language, manifest.target_language, direction.source,
      direction.target));
}

// The reverse of describe_data(), for what the plan leaves open. Paths that lead nowhere now are
// refused: `option` gives the new ones.
class RecordedData {
 public:
  RecordedData(const json& data, TrainingPlan& plan) : data_(data), plan_(plan) {}

  void take() const {
    if (plan_.prepared.empty() && plan_.train_sets.empty()) {
      take_path("prepared", "--prepared DIR", plan_.prepared);
      const auto texts = paths("train_sets", "--train-sets SRC TGT");
      for (size_t i = 0; i + 1 < texts.size(); i += 2) {
        plan_.train_sets.push_back({texts[i], texts[i + 1]});
      }
    }
    if (plan_.guided_alignment.empty() && !plan_.train_sets.empty()) {
      plan_.guided_alignment = paths("guided_alignment", "--guided-alignment FILE");
    }
    if (plan_.tensorboard.empty() && data_.contains("tensorboard")) {
      plan_.tensorboard = plan_.run / data_.at("tensorboard").get<std::string>();
    }
    take_path("teacher", "--teacher BUNDLE", plan_.teacher);
    take_path("init_from", "--init-from BUNDLE", plan_.init_from);
    if (!plan_.valid_source.empty()) return;
    const auto valid = paths("valid_sets", "--valid-sets SRC TGT");
    if (valid.size() != 2) return;
    plan_.valid_source = valid[0];
    plan_.valid_target = valid[1];
  }

 private:
  void take_path(const char* key, std::string_view option, fs::path& path) const {
    if (!path.empty() || !data_.contains(key)) return;
    path = data_.at(key).get<std::string>();
    expect_there(path, option);
  }

  std::vector<std::string> paths(const char* key, std::string_view option) const {
    auto recorded = data_.value(key, std::vector<std::string>());
    for (std::string& path : recorded) {
      path = given_path(path);
      if (path != "-") expect_there(path, option);
    }
    return recorded;
  }

  void expect_there(const fs::path& path, std::string_view option) const {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return;
    throw Error(fmt::format(
        "{0}: no such file or folder, and {1} was started with it; put it back, or say where it is "
        "now: `eatt train --model {1} {2}`",
        path.string(), plan_.run.string(), option));
  }

  const json& data_;
  TrainingPlan& plan_;
};

}  // namespace

void fill_in_languages(TrainingPlan& plan) {
  TrainingOptions& options = plan.options;
  const bool source_known = options.source_language != kUnknownLanguage;
  const bool target_known = options.target_language != kUnknownLanguage;
  if (source_known && target_known) return;
  const auto [source, target] = direction_of_files(plan);
  if (!source_known && !source.empty()) options.source_language = source;
  if (!target_known && !target.empty()) options.target_language = target;
}

void check_plan_languages(const TrainingPlan& plan) {
  const Direction direction = {plan.options.source_language, plan.options.target_language};
  for (const PairInput& input : plan.train_sets) {
    if (input.is_tsv()) continue;
    check_languages(direction, "this run", {"--train-sets", input.source, input.target});
  }
  if (!plan.valid_source.empty()) {
    check_languages(direction, "this run",
                    {"--valid-sets", plan.valid_source.string(), plan.valid_target.string()});
  }
  check_bundle_languages(direction, "--teacher", plan.teacher);
  check_bundle_languages(direction, "--init-from", plan.init_from);
}

bool continue_from_record(TrainingPlan& plan) {
  const fs::path settings = plan.run / "training.toml", file = plan.run / "run.json";
  if (!fs::exists(settings) || !fs::exists(file)) return false;
  const bool has_data = !plan.train_sets.empty() || !plan.prepared.empty();
  // Somebody may have removed the checkpoints: then this is a new start with the given options.
  if (has_data && list_checkpoints(plan.run / "checkpoints").empty()) return false;
  const json record = json::parse(read_file(file, 1 << 20), nullptr, false);
  try {
    const json data = record.at("data");
    if (!has_data && !data.contains("train_sets") && !data.contains("prepared")) return false;
    RecordedData(data, plan).take();
  } catch (const json::exception&) {
    if (!has_data) {
      throw Error(
          fmt::format("{}: is damaged; give --train-sets or --prepared again", file.string()));
    }
  }
  apply_recipe(read_file(settings, 1 << 20), settings.string(), plan.options);
  return true;
}

namespace {

bool was_started_with(const fs::path& run, const char* key) {
  const fs::path file = run / "run.json";
  if (!fs::exists(file)) return false;
  const json record = json::parse(read_file(file, 1 << 20), nullptr, false);
  return record.is_object() && record.value("data", json::object()).contains(key);
}

}  // namespace

bool validates(const fs::path& run) { return was_started_with(run, "valid_sets"); }
bool has_teacher(const fs::path& run) { return was_started_with(run, "teacher"); }

void take_vocabulary_of(const TrainingInputs& inputs, TrainingPlan& plan) {
  if (plan.prepared.empty()) return;
  plan.options.vocab_size = inputs.source_pieces.size();
  plan.options.joint_vocab = inputs.data.info().is_joint();
}

json describe_data(const TrainingPlan& plan, const TrainingInputs& inputs) {
  json data = {{"source_language", plan.options.source_language},
               {"target_language", plan.options.target_language},
               {"source_vocabulary", inputs.source_pieces.size()},
               {"target_vocabulary", inputs.target_pieces.size()},
               {"pairs", inputs.data.size()}};
  if (!plan.prepared.empty()) data["prepared"] = full_path(plan.prepared);
  if (!plan.teacher.empty()) data["teacher"] = full_path(plan.teacher);
  if (!plan.init_from.empty()) data["init_from"] = full_path(plan.init_from);
  for (const PairInput& input : plan.train_sets) {
    data["train_sets"].push_back(full_path(input.source.path));
    if (!input.is_tsv()) data["train_sets"].push_back(full_path(input.target.path));
  }
  if (plan.tensorboard == plan.run / kTensorBoardFolder) {
    data["tensorboard"] = kTensorBoardFolder;  // Wherever the run is moved.
  } else if (!plan.tensorboard.empty()) {
    data["tensorboard"] = full_path(plan.tensorboard);
  }
  for (const std::string& file : plan.guided_alignment) {
    data["guided_alignment"].push_back(full_path(file));
  }
  if (!plan.valid_source.empty()) {
    data["valid_sets"] = json::array({full_path(plan.valid_source), full_path(plan.valid_target)});
  }
  return data;
}

}  // namespace eatt
