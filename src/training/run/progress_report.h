#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "base/progress.h"
#include "training/run/checkpoint.h"
#include "training/update/learner.h"
#include "training/validation/validation.h"

namespace eatt {

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
  // Its estimate of the time left is the log's too. It counts time that was paused: there will be
  // as many pauses, in proportion, in what is left.
  Progress bar_;
};

}  // namespace eatt
