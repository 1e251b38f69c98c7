#include "training/update/batches.h"

#include <algorithm>

#include "base/error.h"
#include "text/pieces/pieces.h"

namespace eatt {

BatchOptions batch_options(const TrainingOptions& options) {
  BatchOptions batches;
  batches.words = static_cast<size_t>(options.mini_batch_words);
  batches.count_padding = options.count_padding;
  batches.window_pairs = static_cast<size_t>(options.window_pairs);
  return batches;
}

ShortPairs::ShortPairs(const DataSet& data, int64_t max_length) : lengths_(data.lengths()) {
  const auto is_short = [&](PairLength length) {
    return std::max(length.source, length.target) <= max_length;
  };
  if (std::ranges::all_of(lengths_, is_short)) return;
  for (uint64_t i = 0; i < data.size(); ++i) {
    if (!is_short(data.lengths()[i])) continue;
    pairs_.push_back(i);
    kept_lengths_.push_back(data.lengths()[i]);
  }
  lengths_ = kept_lengths_;
}

BatchStream::BatchStream(const DataSet& data, const BatchOptions& options, uint64_t seed,
                         int64_t max_length)
    : data_(data, max_length), options_(options), seed_(seed) {
  if (pairs_in_epoch() == 0) throw Error("the training data has no pair of sentences");
  begin_epoch(0);
}

void BatchStream::begin_epoch(uint64_t epoch) {
  epoch_ = epoch;
  batches_ = std::make_unique<EpochBatches>(data_.lengths(), options_, seed_, epoch);
}

const std::vector<uint64_t>& BatchStream::next() {
  expects(batches_->next(pairs_), "an epoch that is used up has been left");
  // The epoch counts as done with its last batch, not with the first of the next.
  if (batches_->pairs_done() == pairs_in_epoch()) begin_epoch(epoch_ + 1);
  for (uint64_t& pair : pairs_) pair = data_.pair(pair);
  return pairs_;
}

double BatchStream::progress() const {
  return static_cast<double>(batches_->pairs_done()) / static_cast<double>(pairs_in_epoch());
}

void BatchStream::seek(uint64_t epoch, uint64_t position) {
  begin_epoch(epoch);
  batches_->seek(position);
}

namespace {

// Row after row of one side, padded; `put` writes a sentence's markers and pieces.
class PaddedRows {
 public:
  PaddedRows(size_t rows, size_t width) : width_(width), tokens_(rows * width, kPadPiece) {}

  void set(size_t row, size_t column, int32_t piece) { tokens_[row * width_ + column] = piece; }
  void set(size_t row, size_t column, std::span<const int32_t> pieces) {
    std::ranges::copy(pieces, tokens_.begin() + static_cast<std::ptrdiff_t>(row * width_ + column));
  }
  void end_row(size_t length) { lengths_.push_back(static_cast<int64_t>(length)); }

  TokenBatch finish(torch::Device device) const {
    const auto width = static_cast<int64_t>(width_);
    return {torch::tensor(tokens_).view({-1, width}).to(device),
            torch::tensor(lengths_).to(device)};
  }

 private:
  size_t width_;
  std::vector<int64_t> tokens_;
  std::vector<int64_t> lengths_;
};

template <typename Items, typename Side>
size_t longest(const Items& items, Side side) {
  size_t most = 0;
  for (const auto& item : items) most = std::max(most, side(item).size());
  return most;
}

template <typename Items, typename Side>
TokenBatch source_rows(const Items& items, Side side, torch::Device device) {
  PaddedRows rows(items.size(), longest(items, side) + 1);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::vector<int32_t>& sentence = side(items[i]);
    rows.set(i, 0, sentence);
    rows.set(i, sentence.size(), kEndPiece);
    rows.end_row(sentence.size() + 1);
  }
  return rows.finish(device);
}

}  // namespace

TrainingBatch make_batch(std::span<const PiecePair> pairs, torch::Device device) {
  const auto target_of = [](const PiecePair& pair) -> const auto& { return pair.target; };
  const size_t width = longest(pairs, target_of) + 1;
  PaddedRows target(pairs.size(), width);
  std::vector<int64_t> places, labels;
  TrainingBatch batch;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& sentence = pairs[i].target;
    target.set(i, 0, kStartPiece);
    target.set(i, 1, sentence);
    target.end_row(sentence.size() + 1);
    for (size_t j = 0; j <= sentence.size(); ++j) {
      places.push_back(static_cast<int64_t>(i * width + j));
      labels.push_back(j < sentence.size() ? sentence[j] : kEndPiece);
    }
    batch.source_words += static_cast<int64_t>(pairs[i].source.size()) + 1;
  }
  batch.source = source_rows(
      pairs, [](const PiecePair& pair) -> const auto& { return pair.source; }, device);
  batch.target = target.finish(device);
  batch.places = torch::tensor(places).to(device);
  batch.labels = torch::tensor(labels).to(device);
  return batch;
}

TokenBatch make_source_batch(std::span<const std::vector<int32_t>> sentences,
                             torch::Device device) {
  return source_rows(
      sentences, [](const std::vector<int32_t>& sentence) -> const auto& { return sentence; },
      device);
}

std::vector<PiecePair> read_pairs(const DataSet& data, std::span<const uint64_t> indices) {
  std::vector<PiecePair> pairs(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    data.read(indices[i], pairs[i].source, pairs[i].target);
  }
  return pairs;
}

}  // namespace eatt
