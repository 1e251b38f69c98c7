#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "training/update/optimizer.h"

namespace eatt {

// The state of a training besides its tensors.
struct TrainingState {
  int64_t update = 0;                // Updates done.
  int64_t attempts = 0;              // Updates done and skipped; seeds dropout.
  uint64_t epoch = 0;                // Epochs done …
  uint64_t position = 0;             // … and the place in the current one.
  int64_t words = 0;                 // Target pieces trained on.
  double seconds = 0;                // Spent in training.
  std::optional<double> score;       // Of the validation at this update.
  std::optional<double> best_score;  // Of all so far.
  int64_t best_update = 0;
  int64_t stalled = 0;  // Validations since the best.
  int64_t skipped_in_a_row = 0;
  int64_t rollbacks = 0;
  double rate_factor = 1;  // On the learning rate, lowered by rollbacks.
  bool finished = false;   // The last validation and bundle are done too.

  // Takes the score of a validation at this update; true if it is the best so far.
  bool note_score(double value, bool higher_is_better);
};

// A state as text, and back, bit for bit: how workers tell each other.
std::string print_state(const TrainingState& state);
TrainingState parse_state(const std::string& text);

// The tensors that a checkpoint holds; the learner owns them.
struct TrainingRows {
  ParameterBuffer& parameters;
  Adam& adam;
  torch::Tensor& smoothed;  // The moving average; undefined if there is none.
};

// "step-00001234"
std::string checkpoint_name(int64_t update);

// The updates of all complete checkpoints in a folder, oldest first; leftovers of killed processes
// are ignored.
std::vector<int64_t> list_checkpoints(const std::filesystem::path& folder);

// Writes FOLDER/step-N: weights.safetensors by the names of a bundle, optimizer.safetensors, and
// state.json with the digests of both and of itself. It appears complete or not at all.
void save_checkpoint(const std::filesystem::path& folder, const TrainingState& state,
                     const TrainingRows& rows);

// Restores everything. Throws an Error naming a file that is damaged or does not fit the model.
TrainingState load_checkpoint(const std::filesystem::path& folder, int64_t update,
                              const TrainingRows& rows);

// The state alone.
TrainingState read_training_state(const std::filesystem::path& folder, int64_t update);

// The updates of the validated checkpoints, the best first.
std::vector<int64_t> best_checkpoints(const std::filesystem::path& folder, bool higher_is_better);

struct KeepRule {
  int64_t last = 5;
  int64_t best = 1;
  bool higher_is_better = true;
};

// Removes a checkpoint. It is renamed first, so a half-removed one is never taken for a checkpoint.
void remove_checkpoint(const std::filesystem::path& folder, int64_t update);

// Removes all checkpoints except the newest and the best.
void prune_checkpoints(const std::filesystem::path& folder, const KeepRule& rule);

}  // namespace eatt
