#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "text/corpus/pair_reader.h"
#include "training/options/training_options.h"

namespace eatt {

class Learner;

// What to train: options, and where everything is.
struct TrainingPlan {
  TrainingOptions options;
  std::filesystem::path run;           // The run folder.
  std::filesystem::path prepared;      // A data set, or
  std::vector<PairInput> train_sets;   // text to make one of, inside the run folder.
  std::filesystem::path valid_source;  // Empty: no validation.
  std::filesystem::path valid_target;
  std::filesystem::path teacher;    // A bundle; empty: no distillation.
  std::filesystem::path init_from;  // A bundle; empty: random weights.
  std::string device = "cpu";
  std::string command;  // As typed, for the bundle.

  // Called before each attempt at an update; tests use it to damage a model.
  std::function<void(Learner&, int64_t attempt)> before_update;
};

enum class TrainingEnd {
  finished,      // All updates done, or stopped early.
  was_finished,  // Nothing was left to do.
};

// Starts or resumes a training and leaves checkpoints and the bundles `best` and `last` in the run
// folder. Throws a UsageError for options that contradict each other, the data or an earlier part
// of the run; an Error for damaged files, a full disk, a training that diverges, and, after saving,
// for SIGTERM or Ctrl-C.
TrainingEnd run_training(const TrainingPlan& plan);

// How far a run is by its newest checkpoint, in updates or in whole epochs; 0 without one.
Extent done_so_far(const std::filesystem::path& run, bool in_epochs);

// Fills in what `train --model RUN` leaves out: the options of the run's start, its data, and the
// bundles it began from. False, and nothing is filled in, if the folder holds no run that has
// begun. Throws an Error if its record is damaged.
bool continue_from_record(TrainingPlan& plan);

}  // namespace eatt
