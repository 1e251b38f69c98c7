#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/architecture.h"
#include "text/corpus/pair_reader.h"
#include "training/distributed/rendezvous.h"
#include "training/options/training_options.h"

namespace eatt {

class Learner;

// In the run folder, for TensorBoard's files if no other folder is given.
inline constexpr char kTensorBoardFolder[] = "tensorboard";

// What to train: options, and where everything is.
struct TrainingPlan {
  TrainingOptions options;
  std::filesystem::path run;          // The run folder.
  std::filesystem::path prepared;     // A data set, or
  std::vector<PairInput> train_sets;  // text to make one of, inside the run folder.
  // Word links of each of train_sets, for guided alignment; empty: none. A prepared data set has
  // its own.
  std::vector<std::string> guided_alignment;
  std::filesystem::path valid_source;  // Empty: no validation.
  std::filesystem::path valid_target;
  std::filesystem::path teacher;      // A bundle; empty: no distillation.
  std::filesystem::path init_from;    // A bundle; empty: random weights.
  std::filesystem::path tensorboard;  // Folder for TensorBoard's files; empty: none are written.
  std::string device = "cpu";
  WorkerPlace place;  // Of this process, if several train together.
  std::chrono::seconds worker_timeout = std::chrono::minutes(5);  // A silent worker is lost then.
  std::string command;                                            // As typed, for the bundle.
  // For messages about a run that is continued with other options: the recipe that was given beside
  // its folder, and the options that flags have set after it.
  std::string recipe;
  std::vector<std::string> flags;

  // Called before each attempt at an update; tests use it to damage a model.
  std::function<void(Learner&, int64_t attempt)> before_update;
};

enum class TrainingEnd {
  finished,      // All updates done, or stopped early.
  was_finished,  // Nothing was left to do.
};

// Whether the data of a training has word links.
bool has_alignments(const TrainingPlan& plan);

// Starts or resumes a training and leaves checkpoints and the bundles `best` and `last` in the run
// folder. If the plan has a place among several workers, all of them call this; the first alone
// reads and writes the run folder, except that all read the data set. Throws a UsageError for
// options that contradict each other, the data or an earlier part of the run; an Error for damaged
// files, a full disk, a training that diverges, and, after saving, for SIGTERM or Ctrl-C.
TrainingEnd run_training(const TrainingPlan& plan);

// Throws what run_training() would throw before it reads the training text, which need not exist
// yet. Leaves nothing behind.
void check_training(const TrainingPlan& plan);

// Throws a UsageError if one of these options, given as flags and without their hyphens, has no
// effect on this training. What a recipe sets may be without effect.
void refuse_idle_options(const TrainingPlan& plan, std::span<const std::string_view> given);

// The option, with its value, whose schedule is spread over the whole of --after, as in
// "--soft-codes 0.5"; empty if there is none. A run with one cannot get another --after, because
// its updates so far would have been different ones.
std::string schedule_over_after(const TrainingOptions& options, bool has_teacher);

// How far a run is by its newest checkpoint, in updates or in whole epochs; 0 without one.
Extent done_so_far(const std::filesystem::path& run, bool in_epochs);

// Whether a run has ended before its --after, because its scores got no better.
bool has_stopped_early(const std::filesystem::path& run, const TrainingOptions& options);

// Fills in what a command that continues a run leaves out: the options of the run's start, its
// data, and the bundles it began from. False, and nothing is filled in, if the folder holds no run
// that has begun. Throws an Error if its record is damaged, or a file that it names is gone.
bool continue_from_record(TrainingPlan& plan);

// One checkpoint of a run.
struct WantedCheckpoint {
  enum class Which { newest, best, update } which = Which::newest;
  int64_t update = 0;  // Of `update`.
};

// Writes a checkpoint of a run folder as a bundle: the moving average of the weights if the run
// keeps one. Returns the checkpoint's update.
// Throws an Error if there is no such run or checkpoint, or if the run has written no bundle yet.
int64_t export_checkpoint(const std::filesystem::path& run, const std::filesystem::path& bundle,
                          const WantedCheckpoint& wanted);

// Which checkpoints of a run: at most `count` of the newest, or of the best validated ones.
struct CheckpointChoice {
  enum class Order { newest, best } order = Order::newest;
  size_t count = 5;
};

// Writes the mean of a run's checkpoints as a bundle. Returns their updates.
std::vector<int64_t> average_checkpoints(const std::filesystem::path& run,
                                         const std::filesystem::path& bundle,
                                         const CheckpointChoice& choice);

// The --after with which a run would have so many checkpoints more, saved or validated at the pace
// it was started with. Nothing if it cannot be trained longer, or does not save or validate.
std::optional<Extent> extent_for_more(const std::filesystem::path& run,
                                      CheckpointChoice::Order order, int64_t more);

// Writes the mean of bundles with one architecture and the same pieces.
void average_bundles(std::span<const std::filesystem::path> inputs,
                     const std::filesystem::path& bundle);

// What a training would take, estimated without starting it.
struct DryRun {
  Architecture architecture;
  uint64_t parameters = 0;
  uint64_t pairs = 0;
  uint64_t left_out = 0;  // Pairs longer than --max-length; not among `pairs`.
  double source_length = 0, target_length = 0;  // Mean, in pieces, end marker included.
  bool estimated = false;  // Lengths come from pieces that were learned for the dry run …
  bool sampled = false;    // … on a part of the text.
  double updates_per_epoch = 0;
  double updates = 0, epochs = 0;  // The whole training.
  double seconds_per_update = 0;   // Measured on a few batches; validation not included.
  double weight_bytes = 0;         // Parameters, gradients, moments, averages.
  double activation_bytes = 0;     // Of the largest batch, measured.
  double disk_bytes = 0;           // The run folder at the end.
  // pJ per sentence of the mean length by the closed forms, attention only and with feed-forward,
  // and those of vanilla attention; on the paper's ASIC.
  struct Energy {
    double model = 0, vanilla = 0;
  };
  Energy paper, exact;
};

DryRun examine(const TrainingPlan& plan);
std::string print_dry_run(const DryRun& found);
std::string dry_run_json(const DryRun& found);

}  // namespace eatt
