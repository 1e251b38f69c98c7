#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

// Which sentences are translated together.
namespace eatt {

struct BatchLimits {
  size_t words = 1024;    // Pieces in a batch; a longer sentence is a batch of its own.
  size_t sentences = 32;  // And the most sentences.
  size_t workers = 1;     // Threads: batches are small enough for each to get one.
};

// Indices of `lengths` as batches: sentences of similar length together, the longest first, so that
// what is left for the end is short. Sentences without pieces are in none. The same lengths give
// the same batches.
std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits);

// The same sentences for batches that never run empty: threads take them one by one, the longest
// first, wherever a sentence has left.
class SentenceFeed {
 public:
  SentenceFeed(std::span<const size_t> lengths, const BatchLimits& limits);

  // Whether a batch that now has this many sentences and source pieces is empty enough to refill.
  // New sentences are encoded together.
  bool wants_more(size_t sentences, size_t pieces) const {
    return sentences <= most_ - most_ / 4 && pieces <= most_words_ - most_words_ / 4;
  }
  // The next sentence for a batch that holds this much; nothing if the batch is full or no sentence
  // is left. An empty batch has room for any sentence.
  std::optional<size_t> take(size_t sentences, size_t pieces);
  // From now on take() gives nothing.
  void end();

 private:
  std::span<const size_t> lengths_;
  std::vector<size_t> order_;
  size_t most_, most_words_;
  std::mutex mutex_;
  size_t next_ = 0;
};

}  // namespace eatt
