#pragma once

#include <spdlog/common.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files/open_file.h"
#include "base/progress.h"
#include "training/run/checkpoint.h"
#include "training/update/learner.h"
#include "training/validation/validation.h"

namespace eatt {

// The folder of one training: checkpoints/step-NNNNNNNN, the bundles best and last, training.toml,
// log.jsonl, train.log, and data if --train-sets were prepared. Locked by one process at a time.
class RunFolder {
 public:
  // Creates the folder if it is missing and locks it; throws an Error if another
  // training holds it. A process that was killed holds nothing.
  explicit RunFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path best() const { return path_ / "best"; }
  std::filesystem::path last() const { return path_ / "last"; }
  std::filesystem::path settings() const { return path_ / "training.toml"; }
  std::filesystem::path events() const { return path_ / "log.jsonl"; }
  std::filesystem::path text_log() const { return path_ / "train.log"; }
  std::filesystem::path data() const { return path_ / "data"; }
  std::filesystem::path record() const { return path_ / "run.json"; }

  // After a failure before the first checkpoint: leaves nothing of this start but a data set that
  // was finished.
  void remove_failed_start() const;

 private:
  std::filesystem::path path_;
  MissingFolders made_;
  std::vector<std::filesystem::path> missing_files_;  // Those that this start may make.
  FolderLock lock_;
};

// The logs of a training: log.jsonl has a JSON object per line, train.log a copy of every line that
// is printed. Both are appended to.
class TrainingLog {
 public:
  TrainingLog(const std::filesystem::path& events, const std::filesystem::path& text);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  // Adds the time. If the disk is full, training continues; the first failure is a warning.
  void event(nlohmann::json object);

 private:
  std::filesystem::path path_;
  FileDescriptor events_;
  spdlog::sink_ptr text_sink_;
  bool failed_ = false;
};

// Gathers updates between two lines of progress.
class ProgressReport {
 public:
  // Begins after `update` updates, a share of `done` (0 to 1) of `all` of them; an `all` of 0 means
  // that their number is not known, because epochs are counted.
  ProgressReport(int64_t update, double done, int64_t all);

  void add(const UpdateResult& result);
  // The bar on a terminal.
  void show_bar(int64_t update, double done);

  struct Line {
    std::string text;      // For people.
    nlohmann::json event;  // The same for programs.
  };
  // Everything since the last line; `densities` may be of one update.
  Line line(const TrainingState& state, double learning_rate, double done,
            const Densities& densities);

  // Seconds of this process that went into training, without `pause`d ones.
  double seconds() const;
  void pause(double seconds) { paused_ += seconds; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  double paused_ = 0;
  double last_line_seconds_ = 0;
  double loss_ = 0, likelihood_ = 0, norm_ = 0;  // Sums; the first two weighted by words.
  int64_t words_ = 0, updates_ = 0;
  ReductionTimes reduction_;   // Sums, with several workers.
  double alignment_loss_ = 0;  // A sum over so many rows.
  int64_t alignment_rows_ = 0;
  // Its estimate of the time left is the log's too. It counts time that was paused: there will be
  // as many pauses, in proportion, in what is left.
  Progress bar_;
};

}  // namespace eatt
