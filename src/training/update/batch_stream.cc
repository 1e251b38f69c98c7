#include "training/update/batch_stream.h"

#include "base/error.h"

namespace eatt {

BatchOptions batch_options(const TrainingOptions& options) {
  BatchOptions batches;
  batches.words = static_cast<size_t>(options.mini_batch_words);
  batches.count_padding = options.count_padding;
  batches.window_pairs = static_cast<size_t>(options.window_pairs);
  return batches;
}

BatchStream::BatchStream(const DataSet& data, const BatchOptions& options, uint64_t seed)
    : data_(data), options_(options), seed_(seed) {
  if (data.size() == 0) throw Error("the training data has no pair of sentences");
  begin_epoch(0);
}

void BatchStream::begin_epoch(uint64_t epoch) {
  epoch_ = epoch;
  batches_ = std::make_unique<EpochBatches>(data_.lengths(), options_, seed_, epoch);
}

const std::vector<uint64_t>& BatchStream::next() {
  expects(batches_->next(pairs_), "an epoch that is used up has been left");
  // The epoch counts as done with its last batch, not with the first of the next.
  if (batches_->pairs_done() == data_.size()) begin_epoch(epoch_ + 1);
  return pairs_;
}

double BatchStream::progress() const {
  return static_cast<double>(batches_->pairs_done()) / static_cast<double>(data_.size());
}

void BatchStream::seek(uint64_t epoch, uint64_t position) {
  begin_epoch(epoch);
  batches_->seek(position);
}

}  // namespace eatt
