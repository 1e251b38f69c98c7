#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "text/data/data_set.h"
#include "training/distributed/process_group.h"
#include "training/run/checkpoint.h"
#include "training/update/batches.h"
#include "training/update/learner.h"

namespace eatt {

// What a worker computes of an update.
struct UpdateWork {
  std::vector<std::vector<PiecePair>> batches;
  int64_t words_of_all = 0;  // Target words of all workers.
};

// What the workers of a training do together between the steps of its course. All call the same
// functions in the same order. For a worker without a group they cost nothing.
class Teamwork {
 public:
  // `group` may be null. Learner and state are the course's.
  Teamwork(ProcessGroup* group, Learner& learner, TrainingState& state)
      : group_(group), learner_(learner), state_(state) {}

  bool is_first() const { return group_ == nullptr || group_->is_first(); }

  // Runs `body`, which works with the run folder, in the first worker, while the others wait. All
  // have its state afterwards.
  void in_first_worker(const std::function<void()>& body);

  // All take over the weights and the optimizer of the first worker.
  void take_weights_of_first();

  // All workers make the same steps, and a worker that rounds in another way would drift away.
  // Throws an Error if one has other weights than the first.
  void expect_same_weights();

  // Whether any worker says so.
  bool any(bool mine) const { return group_ == nullptr ? mine : group_->any(mine); }

  // This worker's part of the next update, in which each worker has `batches` batches. Every worker
  // draws the batches of all, so that a place in the stream holds for any number of workers, and
  // reads its own.
  UpdateWork draw(BatchStream& stream, const DataSet& data, int64_t batches) const;

 private:
  ProcessGroup* group_;
  Learner& learner_;
  TrainingState& state_;
};

}  // namespace eatt
