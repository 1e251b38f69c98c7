#include "training/run/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "bundle/safetensors.h"
#include "model/transformer.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kWeights[] = "weights.safetensors";
constexpr char kOptimizer[] = "optimizer.safetensors";
constexpr char kState[] = "state.json";
constexpr char kWrongField[] = "a field is missing or has a wrong type";

json optional_number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

std::optional<double> optional_number(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

json to_json(const TrainingState& state) {
  return {{"update", state.update},
          {"attempts", state.attempts},
          {"epoch", state.epoch},
          {"position", state.position},
          {"words", state.words},
          {"seconds", state.seconds},
          {"score", optional_number(state.score)},
          {"best_score", optional_number(state.best_score)},
          {"best_update", state.best_update},
          {"stalled", state.stalled},
          {"skipped_in_a_row", state.skipped_in_a_row},
          {"rollbacks", state.rollbacks},
          {"rate_factor", state.rate_factor},
          {"finished", state.finished}};
}

TrainingState state_from(const json& from) {
  TrainingState state;
  from.at("update").get_to(state.update);
  from.at("attempts").get_to(state.attempts);
  from.at("epoch").get_to(state.epoch);
  from.at("position").get_to(state.position);
  from.at("words").get_to(state.words);
  from.at("seconds").get_to(state.seconds);
  state.score = optional_number(from.at("score"));
  state.best_score = optional_number(from.at("best_score"));
  from.at("best_update").get_to(state.best_update);
  from.at("stalled").get_to(state.stalled);
  from.at("skipped_in_a_row").get_to(state.skipped_in_a_row);
  from.at("rollbacks").get_to(state.rollbacks);
  from.at("rate_factor").get_to(state.rate_factor);
  state.finished = from.value("finished", false);
  return state;
}

std::string go_back(const fs::path& file) {
  return fmt::format("remove the folder {} to continue from the checkpoint before it",
                     file.parent_path().string());
}

[[noreturn]] void damaged(const fs::path& file, std::string_view what) {
  throw Error(fmt::format("{}: {}; {}", file.string(), what, go_back(file)));
}

json read_state_file(const fs::path& file) {
  const JsonOrigin origin = {file.string(), go_back(file)};
  json found = parse_json(read_file(file, 1 << 20), origin);
  if (!found.is_object()) damaged(file, "is not the state of a training");
  check_json_checksum(found, origin);
  return found;
}

// Opens a file of the checkpoint. Its digest is checked before its header is read, whose errors
// would not say what to do with a checkpoint.
Safetensors open_checked(const fs::path& file, const json& digests) {
  if (!fs::exists(file)) damaged(file, "is missing");
  MappedFile bytes(file);
  const auto digest = digests.find(file.filename().string());
  if (digest == digests.end() || sha256_hex(bytes.text()) != *digest) {
    damaged(file, "its contents have changed since it was written");
  }
  return {std::move(bytes), file.string()};
}

void restore(const Safetensors& from, const std::string& name, const fs::path& file,
             torch::Tensor to) {
  const torch::NoGradGuard no_grad;
  const TensorInfo* info = from.find(name);
  if (info == nullptr) damaged(file, fmt::format("has no tensor '{}'", name));
  const auto values = from.values<float>(name);
  if (static_cast<int64_t>(values.size()) != to.numel()) {
    damaged(file, fmt::format("tensor '{}' has {} numbers, the model's has {}", name, values.size(),
                              to.numel()));
  }
  to.copy_(torch::from_blob(const_cast<float*>(values.data()), to.sizes(), torch::kFloat));
}

}  // namespace

bool TrainingState::note_score(double value, bool higher_is_better) {
  const bool better =
      std::isfinite(value) &&
      (!best_score || (higher_is_better ? value > *best_score : value < *best_score));
  score = value;
  stalled = better ? 0 : stalled + 1;
  if (better) {
    best_score = value;
    best_update = update;
  }
  return better;
}

std::string print_state(const TrainingState& state) { return to_json(state).dump(); }

TrainingState parse_state(const std::string& text) { return state_from(json::parse(text)); }

std::string checkpoint_name(int64_t update) { return fmt::format("step-{:08}", update); }

std::vector<int64_t> list_checkpoints(const fs::path& folder) {
  std::vector<int64_t> updates;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    int64_t update = 0;
    if (!name.starts_with("step-")) continue;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), update);
    if (error != std::errc() || name != checkpoint_name(update)) continue;
    if (!fs::exists(entry.path() / kState)) continue;
    updates.push_back(update);
  }
  std::ranges::sort(updates);
  return updates;
}

void save_checkpoint(const fs::path& folder, const TrainingState& state, const TrainingRows& rows) {
  AtomicFolder made(folder / checkpoint_name(state.update));
  std::vector<TensorView> weights;
  const auto values = rows.parameters.values().to(torch::kCPU);
  for (size_t i = 0; i < rows.parameters.names().size(); ++i) {
    weights.push_back(view_of(rows.parameters.names()[i], rows.parameters.part(values, i)));
  }
  const auto first = rows.adam.first_moment().to(torch::kCPU);
  const auto second = rows.adam.second_moment().to(torch::kCPU);
  std::vector<TensorView> optimizer = {view_of("first_moment", first),
                                       view_of("second_moment", second)};
  torch::Tensor smoothed;
  if (rows.smoothed.defined()) {
    smoothed = rows.smoothed.to(torch::kCPU);
    optimizer.push_back(view_of("smoothed", smoothed));
  }
  json file = to_json(state);
  file["adam_steps"] = rows.adam.steps();
  file["files"] = {{kWeights, write_safetensors(made.path() / kWeights, weights).sha256},
                   {kOptimizer, write_safetensors(made.path() / kOptimizer, optimizer).sha256}};
  write_file_atomically(made.path() / kState, print_checked_json(file));
  made.commit();
}

TrainingState load_checkpoint(const fs::path& folder, int64_t update, const TrainingRows& rows) {
  const fs::path path = folder / checkpoint_name(update);
  const json file = read_state_file(path / kState);
  try {
    const auto weights = open_checked(path / kWeights, file.at("files"));
    const auto optimizer = open_checked(path / kOptimizer, file.at("files"));
    for (size_t i = 0; i < rows.parameters.names().size(); ++i) {
      restore(weights, rows.parameters.names()[i], path / kWeights,
              rows.parameters.part(rows.parameters.values(), i));
    }
    restore(optimizer, "first_moment", path / kOptimizer, rows.adam.first_moment());
    restore(optimizer, "second_moment", path / kOptimizer, rows.adam.second_moment());
    if (rows.smoothed.defined()) restore(optimizer, "smoothed", path / kOptimizer, rows.smoothed);
    rows.adam.set_steps(file.at("adam_steps").get<int64_t>());
    return state_from(file);
  } catch (const json::exception&) {
    damaged(path / kState, kWrongField);
  }
}

TrainingState read_training_state(const fs::path& folder, int64_t update) {
  const fs::path file = folder / checkpoint_name(update) / kState;
  try {
    return state_from(read_state_file(file));
  } catch (const json::exception&) {
    damaged(file, kWrongField);
  }
}

void remove_checkpoint(const fs::path& folder, int64_t update) {
  const fs::path aside = folder / ("removed-" + checkpoint_name(update));
  fs::remove_all(aside);
  fs::rename(folder / checkpoint_name(update), aside);
  fs::remove_all(aside);
}

std::vector<int64_t> best_checkpoints(const fs::path& folder, bool higher_is_better) {
  std::vector<std::pair<double, int64_t>> scored;  // The best first, so the smallest key first.
  for (const int64_t update : list_checkpoints(folder)) {
    std::optional<double> score;
    try {
      score = read_training_state(folder, update).score;
    } catch (const Error&) {  // A checkpoint that cannot be read is left out.
    }
    if (score) scored.emplace_back(higher_is_better ? -*score : *score, update);
  }
  std::ranges::sort(scored);
  std::vector<int64_t> updates;
  for (const auto& [key, update] : scored) updates.push_back(update);
  return updates;
}

void prune_checkpoints(const fs::path& folder, const KeepRule& rule) {
  const auto updates = list_checkpoints(folder);
  std::set<int64_t> kept(
      updates.end() -
          std::min<std::ptrdiff_t>(rule.last, static_cast<std::ptrdiff_t>(updates.size())),
      updates.end());
  for (const int64_t update :
       best_checkpoints(folder, rule.higher_is_better) | std::views::take(rule.best)) {
    kept.insert(update);
  }
  for (const int64_t update : updates) {
    if (!kept.contains(update)) remove_checkpoint(folder, update);
  }
}

}  // namespace eatt
