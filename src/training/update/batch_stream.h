#pragma once

#include <memory>
#include <vector>

#include "text/data/batches.h"
#include "text/data/data_set.h"
#include "training/options/training_options.h"

namespace eatt {

// How a training cuts its data into batches.
BatchOptions batch_options(const TrainingOptions& options);

// The batches of epoch after epoch, without end. Where it stands is two numbers, so that a
// checkpoint can bring it back.
class BatchStream {
 public:
  BatchStream(const DataSet& data, const BatchOptions& options, uint64_t seed);

  // Indices of the next batch's pairs.
  const std::vector<uint64_t>& next();

  uint64_t epoch() const { return epoch_; }  // Epochs that have been used up.
  uint64_t position() const { return batches_->position(); }
  // Share of the current epoch that is done.
  double progress() const;
  // Throws an Error if the data or the options have changed so that there is no such place.
  void seek(uint64_t epoch, uint64_t position);

 private:
  void begin_epoch(uint64_t epoch);

  const DataSet& data_;
  BatchOptions options_;
  uint64_t seed_;
  uint64_t epoch_ = 0;
  std::unique_ptr<EpochBatches> batches_;
  std::vector<uint64_t> pairs_;
};

}  // namespace eatt
