#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "training/options/training_options.h"
#include "training/run/export_bundle.h"

namespace eatt {

// What the checkpoints of a run folder are checkpoints of.
struct RunModel {
  std::filesystem::path run;
  TrainingOptions options;
  Architecture architecture;
  BundleOrigin origin;  // From the bundle `last`.
};

// Throws an Error if there is no run, or it has written no bundle yet.
RunModel open_run(const std::filesystem::path& run);

// The weights of a checkpoint: the moving average where the run keeps one. An Error if it is
// missing.
NamedWeights checkpoint_weights(const RunModel& model, int64_t update);

// Updates of the newest or of the best validated checkpoints, at most `count`.
std::vector<int64_t> newest_checkpoints(const RunModel& model, size_t count);
std::vector<int64_t> best_checkpoints(const RunModel& model, size_t count);

// The mean of each tensor, added up in double precision. Names and shapes must be equal.
NamedWeights average_weights(std::span<const NamedWeights> all);

}  // namespace eatt
