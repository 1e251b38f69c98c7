#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "training/update/optimizer.h"

namespace eatt {

// Everything about the course of a training beside its rows of numbers.
struct TrainingState {
  int64_t update = 0;     // Updates done.
  int64_t attempts = 0;   // Those and the skipped ones; dropout is drawn from the seed and this.
  uint64_t epoch = 0;     // Epochs done …
  uint64_t position = 0;  // … and the place in the current one.
  int64_t words = 0;      // Target pieces learnt from.
  double seconds = 0;     // Spent in training.
  std::optional<double> score;       // Of the validation at this update.
  std::optional<double> best_score;  // Of all so far.
  int64_t best_update = 0;
  int64_t stalled = 0;  // Validations since the best.
  int64_t skipped_in_a_row = 0;
  int64_t rollbacks = 0;
  double rate_factor = 1;  // On the learning rate, lowered by rollbacks.
  bool finished = false;   // The last validation and bundle are done too.
};

// The numbers a checkpoint holds, which belong to the trainer.
struct TrainingRows {
  ParameterBuffer& parameters;
  Adam& adam;
  torch::Tensor& smoothed;  // The moving average; undefined if there is none.
};

// "step-00001234"
std::string checkpoint_name(int64_t update);

// Updates of the whole checkpoints in a folder, oldest first; leftovers of killed writers do not
// count.
std::vector<int64_t> list_checkpoints(const std::filesystem::path& folder);

// Writes FOLDER/step-N: weights.safetensors by the names of a bundle, optimizer.safetensors, and
// state.json with the digests of both and of itself. It appears whole or not at all.
void save_checkpoint(const std::filesystem::path& folder, const TrainingState& state,
                     const TrainingRows& rows);

// Restores everything; an Error naming the file that is damaged or does not fit the model.
TrainingState load_checkpoint(const std::filesystem::path& folder, int64_t update,
                              const TrainingRows& rows);

// The state alone.
TrainingState read_training_state(const std::filesystem::path& folder, int64_t update);

// Updates of those that were validated, the best first.
std::vector<int64_t> best_checkpoints(const std::filesystem::path& folder, bool higher_is_better);

struct KeepRule {
  int64_t last = 5;
  int64_t best = 1;
  bool higher_is_better = true;
};

// Takes a checkpoint away: it is gone at once, whatever happens while its files are removed.
void remove_checkpoint(const std::filesystem::path& folder, int64_t update);

// Removes all checkpoints but the newest and the best.
void prune_checkpoints(const std::filesystem::path& folder, const KeepRule& rule);

}  // namespace eatt
