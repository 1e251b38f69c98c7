#pragma once

#include <torch/torch.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "training/distributed/process_group.h"
#include "training/update/optimizer.h"

namespace eatt {

// When the sums of an update were made, in seconds since its first forward pass began.
struct ReductionTimes {
  double first_started = 0;      // The first bucket was handed over.
  double backward_ended = 0;     // Of this worker.
  double finished = 0;           // All sums had arrived.
  double bytes = 0;              // Of gradients,
  double bytes_in_backward = 0;  // of which the sum had arrived when backward ended.
};

// Sums the gradients of all workers while backward passes still run.
//
// The row of gradients is cut into buckets of neighbouring parameters. A hook of libtorch tells
// when a parameter has its gradient; once the last of a bucket has it, in the models of all threads
// of this process, these are added up and the bucket is handed to the process group. All workers
// hand over their buckets in the same order, because that is how c10d matches them: in the first
// update from the end of the row to its beginning, as backward goes, and then in the order in which
// the first worker's buckets were complete. The order has no influence on the sums.
class GradientBuckets {
 public:
  // `models` and `rows` belong to the threads of this process, which share the values; sums are
  // made in the first row. Hooks stay in the models, which must not be used after this is gone.
  GradientBuckets(ProcessGroup& group, const std::vector<torch::nn::Module*>& models,
                  const std::vector<ParameterBuffer*>& rows, int64_t bucket_floats = 1 << 20);

  void begin_update();
  // Before the last backward pass of a thread: gradients that arrive now are complete.
  void begin_last_pass(size_t thread);
  // After it, or instead of it: parameters that took no part in it are complete, too.
  void end_thread(size_t thread);
  // Waits until the first row holds the sum over all threads of all workers.
  ReductionTimes finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct Bucket {
    int64_t begin = 0, end = 0;  // In the row.
    size_t parameters = 0;
    size_t missing = 0;  // Gradients, of all threads, that have not arrived in this update.
    std::optional<ProcessGroup::Sum> sum;
  };

  void cut(const ParameterBuffer& row, int64_t bucket_floats);
  void watch(size_t thread, torch::nn::Module& model);
  void arrived(size_t thread, size_t parameter);
  void note_arrival(size_t thread, size_t parameter);  // The caller holds the mutex.
  void hand_over_complete_ones();                      // The caller holds the mutex.
  void hand_over(Bucket& bucket);
  double bytes_summed() const;  // So far, in this update. The caller holds the mutex.
  void agree_on_order();
  double seconds() const;

  ProcessGroup& group_;
  std::vector<ParameterBuffer*> rows_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;  // By parameter.
  // Hooks live as long as these.
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;

  std::mutex mutex_;                            // Guards all below.
  std::vector<std::vector<char>> has_arrived_;  // [thread][parameter]
  std::vector<char> in_last_pass_;              // [thread]
  std::vector<size_t> order_;                   // In which buckets are handed over.
  size_t handed_over_ = 0;                      // So many of them.
  std::vector<size_t> completed_;               // Buckets, as they were complete.
  bool agreed_ = false;
  Clock::time_point start_;
  ReductionTimes times_;
};

}  // namespace eatt
