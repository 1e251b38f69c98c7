#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/progress.h"
#include "model/computing.h"
#include "training/options/training_options.h"
#include "training/run/bundles.h"
#include "training/run/checkpoint.h"
#include "training/run/trainer.h"
#include "training/run/training_inputs.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

// What the checkpoints of a run folder have in common.
struct RunModel {
  fs::path run;
  TrainingOptions options;
  Architecture architecture;
  BundleOrigin origin;  // From the bundle `last`.
};

// What a bundle inherits from the one it is made from.
BundleOrigin origin_of(const Bundle& bundle) {
  return {.source_language = bundle.manifest().source_language,
          .target_language = bundle.manifest().target_language,
          .source_piece_model = std::string(bundle.source_piece_model()),
          .target_piece_model = std::string(bundle.target_piece_model()),
          .training_toml = {},
          .results_json = {},
          .languages_json = std::string(bundle.languages_json()),
          .made = bundle.manifest().made,
          .golden_source = bundle.manifest().golden ? bundle.manifest().golden->source : ""};
}

// When a run writes its first bundle: at its first validation, or at the end if it has none.
std::string first_bundle(const fs::path& run, const TrainingOptions& options) {
  const bool at_validation = validates(run) && options.valid_freq.count > 0;
  const Extent when = at_validation ? options.valid_freq : options.after;
  return fmt::format("{} {} {}",
                     at_validation ? "the first validation is" : "it is written at the end,",
                     when.epochs ? "after epoch" : "at update", when.count);
}

bool is_run(const fs::path& folder) {
  return fs::exists(folder / "training.toml") && fs::exists(folder / "checkpoints");
}

// For a folder inside a run, such as best or checkpoints/step-00000800, the run is named.
[[noreturn]] void refuse_folder(const fs::path& given) {
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  for (fs::path outer = folder.parent_path(); !outer.empty(); outer = outer.parent_path()) {
    if (is_run(outer)) {
      throw UsageError(fmt::format("{}: is a folder of the run {}; give the run itself",
                                   given.string(), outer.string()));
    }
    if (outer == outer.parent_path()) break;
  }
  throw Error(fmt::format("{}: {}", given.string(),
                          fs::exists(folder / kManifestFile)
                              ? "is a model already; give the folder of a training run"
                              : "is not a run folder of `eatt train`: it has no training.toml or "
                                "no checkpoints"));
}

// Throws an Error if there is no run, or it has written no bundle yet.
RunModel open_run(const fs::path& run) {
  if (!is_run(run)) refuse_folder(run);
  RunModel model;
  model.run = run;
  apply_recipe(read_file(run / "training.toml", 1 << 20), (run / "training.toml").string(),
               model.options);
  if (!fs::exists(run / "last" / kManifestFile)) {
    throw Error(fmt::format(
        "{}: has no model yet: {}, and it has done {}; `eatt train --model {}` continues",
        run.string(), first_bundle(run, model.options),
        format_count(static_cast<uint64_t>(done_so_far(run, false).count), "update"),
        run.string()));
  }
  const Bundle last = Bundle::open(run / "last");
  model.architecture = make_architecture(model.options, last.architecture().source_vocab,
                                         last.architecture().target_vocab);
  model.origin = origin_of(last);
  model.origin.training_toml = read_file(run / "training.toml", 1 << 20);
  return model;
}

// The weights of a checkpoint: the moving average where the run keeps one.
NamedWeights checkpoint_weights(const RunModel& model, int64_t update) {
  Learner learner(model.architecture, model.options);
  load_checkpoint(model.run / "checkpoints", update, learner.rows());
  NamedWeights weights;
  learner.with_kept_weights([&] {
    for (auto& [name, tensor] : weights_of(*learner.model())) weights[name] = tensor.clone();
  });
  return weights;
}

std::vector<int64_t> newest_of_run(const RunModel& model, size_t count) {
  auto updates = list_checkpoints(model.run / "checkpoints");
  std::erase(updates, 0);  // Random weights.
  // Older ones were kept for their scores and are far apart.
  count = std::min(count, static_cast<size_t>(model.options.keep_last));
  if (updates.size() > count)
    updates.erase(updates.begin(), updates.end() - static_cast<std::ptrdiff_t>(count));
  return updates;
}

std::vector<int64_t> best_of_run(const RunModel& model, size_t count) {
  auto updates =
      best_checkpoints(model.run / "checkpoints", higher_is_better(model.options.valid_metric));
  updates.resize(std::min(count, updates.size()));
  return updates;
}

// Throws an Error that says which checkpoints there are.
int64_t find_checkpoint(const RunModel& model, const WantedCheckpoint& wanted) {
  using Which = WantedCheckpoint::Which;
  const auto all = list_checkpoints(model.run / "checkpoints");
  if (wanted.which == Which::update) {
    if (std::ranges::find(all, wanted.update) != all.end()) return wanted.update;
    throw Error(fmt::format("{}: has no checkpoint of update {}; it has {}", model.run.string(),
                            wanted.update, fmt::join(all, ", ")));
  }
  const bool best = wanted.which == Which::best;
  const auto found = best ? best_of_run(model, 1) : newest_of_run(model, 1);
  if (!found.empty()) return found.front();
  throw Error(fmt::format("{}: has no {}checkpoint", model.run.string(), best ? "validated " : ""));
}

// The mean of each tensor, summed in double precision. Names and shapes must be equal.
NamedWeights average_weights(std::span<const NamedWeights> all) {
  expects(!all.empty(), "there is something to average");
  const torch::NoGradGuard no_grad;
  NamedWeights mean;
  for (const auto& [name, first] : all.front()) {
    auto sum = first.to(torch::kDouble);
    for (const NamedWeights& other : all.subspan(1)) {
      const auto found = other.find(name);
      expects(found != other.end() && found->second.sizes() == first.sizes(),
              "models that are averaged have the same tensors");
      sum = sum + found->second.to(torch::kDouble);
    }
    mean[name] = (sum / static_cast<double>(all.size())).to(torch::kFloat);
  }
  return mean;
}

void expect_alike(const Bundle& first, const Bundle& other) {
  const auto refuse = [&](std::string_view what) {
    throw Error(fmt::format("{} and {} have different {}; they cannot be averaged",
                            first.path().string(), other.path().string(), what));
  };
  if (other.architecture() != first.architecture()) refuse("architectures");
  if (other.source_piece_model() != first.source_piece_model() ||
      other.target_piece_model() != first.target_piece_model()) {
    refuse("pieces");
  }
}

}  // namespace

int64_t export_checkpoint(const fs::path& run, const fs::path& bundle,
                          const WantedCheckpoint& wanted) {
  return with_plain_errors([&] {
    const RunModel model = open_run(run);
    const int64_t update = find_checkpoint(model, wanted);
    BundleOrigin origin = model.origin;
    origin.made[kDerivedKey] = derived_by("export", std::span(&run, 1));
    origin.made["exported"] = fmt::format("update {}", update);
    export_bundle(bundle, model.architecture, checkpoint_weights(model, update), origin);
    return update;
  });
}

namespace {

// How often a run saves checkpoints: with --save-freq and at every validation, or only `validated`
// ones. All are in updates, or all in epochs: validations that are counted in the other unit are
// left out, because how many updates make an epoch is not known here.
std::vector<Extent> checkpoint_paces(const TrainingOptions& options, bool validated,
                                     bool has_dev_set) {
  std::vector<Extent> paces;
  if (!validated && options.save_freq.count > 0) paces.push_back(options.save_freq);
  if (has_dev_set && options.valid_freq.count > 0) paces.push_back(options.valid_freq);
  if (paces.size() == 2 && paces[0].epochs != paces[1].epochs) paces.pop_back();
  return paces;
}

}  // namespace

std::optional<Extent> extent_for_more(const fs::path& run, CheckpointChoice::Order order,
                                      int64_t more) {
  TrainingOptions options;
  apply_recipe(read_file(run / "training.toml", 1 << 20), (run / "training.toml").string(),
               options);
  const bool best = order == CheckpointChoice::Order::best;
  const std::vector<Extent> paces = checkpoint_paces(options, best, validates(run));
  if (paces.empty() || !schedule_over_after(options, has_teacher(run)).empty()) {
    return std::nullopt;
  }
  Extent after = done_so_far(run, paces.front().epochs);
  for (; more > 0; --more) {
    int64_t next = std::numeric_limits<int64_t>::max();
    for (const Extent pace : paces) {
      next = std::min(next, (after.count / pace.count + 1) * pace.count);
    }
    after.count = next;
  }
  return after;
}

std::vector<int64_t> average_checkpoints(const fs::path& run, const fs::path& bundle,
                                         const CheckpointChoice& choice) {
  return with_plain_errors([&] {
    const RunModel model = open_run(run);
    const bool best = choice.order == CheckpointChoice::Order::best;
    const auto updates =
        best ? best_of_run(model, choice.count) : newest_of_run(model, choice.count);
    if (updates.empty()) {
      throw Error(fmt::format("{}: has no {}checkpoint", run.string(), best ? "validated " : ""));
    }
    std::vector<NamedWeights> weights;
    for (const int64_t update : updates) weights.push_back(checkpoint_weights(model, update));
    BundleOrigin origin = model.origin;
    origin.made[kDerivedKey] = derived_by("average", std::span(&run, 1));
    origin.made["averaged"] = fmt::format("updates {}", fmt::join(updates, ", "));
    export_bundle(bundle, model.architecture, average_weights(weights), origin);
    return updates;
  });
}

void average_bundles(std::span<const fs::path> inputs, const fs::path& bundle) {
  with_plain_errors([&] {
    std::vector<NamedWeights> weights;
    const Bundle first = Bundle::open(inputs.front());
    for (const fs::path& input : inputs) {
      const Bundle other = Bundle::open(input);
      expect_alike(first, other);
      weights.push_back(weights_of(other));
    }
    BundleOrigin origin = origin_of(first);
    origin.made[kDerivedKey] = derived_by("average", inputs);
    origin.made["averaged"] = fmt::format("{} bundles", inputs.size());
    export_bundle(bundle, first.architecture(), average_weights(weights), origin);
  });
}

}  // namespace eatt
