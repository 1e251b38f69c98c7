#include "training/run/run_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "training/options/recipe.h"
#include "training/run/checkpoint.h"
#include "training/update/learner.h"

namespace eatt {

namespace fs = std::filesystem;

RunModel open_run(const fs::path& run) {
  if (!fs::exists(run / "training.toml") || !fs::exists(run / "checkpoints")) {
    throw Error(
        fmt::format("{}: is no run folder of `eatt train`: it has no training.toml or no "
                    "checkpoints",
                    run.string()));
  }
  if (!fs::exists(run / "last" / kManifestFile)) {
    throw Error(
        fmt::format("{}: has no bundle yet; the first one comes with the first validation "
                    "or at the end",
                    run.string()));
  }
  RunModel model;
  model.run = run;
  apply_recipe(read_file(run / "training.toml", 1 << 20), (run / "training.toml").string(),
               model.options);
  const Bundle last = Bundle::open(run / "last");
  model.architecture = make_architecture(model.options, last.architecture().source_vocab,
                                         last.architecture().target_vocab);
  BundleOrigin& origin = model.origin;
  origin.source_language = last.manifest().source_language;
  origin.target_language = last.manifest().target_language;
  origin.source_piece_model = last.source_piece_model();
  origin.target_piece_model = last.target_piece_model();
  origin.training_toml = read_file(run / "training.toml", 1 << 20);
  origin.made = last.manifest().made;
  if (last.manifest().golden) origin.golden_source = last.manifest().golden->source;
  return model;
}

NamedWeights checkpoint_weights(const RunModel& model, int64_t update) {
  Learner learner(model.architecture, model.options);
  load_checkpoint(model.run / "checkpoints", update, learner.rows());
  NamedWeights weights;
  learner.with_kept_weights([&] {
    for (auto& [name, tensor] : weights_of(*learner.model())) weights[name] = tensor.clone();
  });
  return weights;
}

std::vector<int64_t> newest_checkpoints(const RunModel& model, size_t count) {
  auto updates = list_checkpoints(model.run / "checkpoints");
  std::erase(updates, 0);  // Random weights.
  // Older ones are kept for their scores and lie far apart.
  count = std::min(count, static_cast<size_t>(model.options.keep_last));
  if (updates.size() > count)
    updates.erase(updates.begin(), updates.end() - static_cast<std::ptrdiff_t>(count));
  return updates;
}

std::vector<int64_t> best_checkpoints(const RunModel& model, size_t count) {
  auto updates =
      best_checkpoints(model.run / "checkpoints", higher_is_better(model.options.valid_metric));
  updates.resize(std::min(count, updates.size()));
  return updates;
}

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

}  // namespace eatt
