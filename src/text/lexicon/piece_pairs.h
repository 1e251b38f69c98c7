#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "text/corpus/pair_reader.h"
#include "text/data/data_set.h"
#include "text/pieces/pieces.h"

namespace eatt {

// Sentence pairs as piece ids, without markers. They can be read repeatedly, in any order and from
// many threads at once.
class PiecePairs {
 public:
  virtual ~PiecePairs() = default;
  virtual size_t size() const = 0;
  // Replaces both vectors by the ids of pair `i`.
  virtual void read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const = 0;
};

// Pairs in memory.
class StoredPairs : public PiecePairs {
 public:
  size_t size() const override { return ends_.size() / 2; }
  void read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const override;

  std::span<const int32_t> source(size_t i) const { return side(2 * i); }
  std::span<const int32_t> target(size_t i) const { return side(2 * i + 1); }
  void add(std::span<const int32_t> source, std::span<const int32_t> target);
  void clear();
  void keep_if(const std::function<bool(size_t)>& keep);  // Keeps the order.

 private:
  std::span<const int32_t> side(size_t k) const;

  std::vector<int32_t> ids_;    // Source, target, source, target, …
  std::vector<uint64_t> ends_;  // Where each of these ends.
};

// Pairs of a data set: all of them, or at most `max_pairs`, evenly spread.
class PreparedPairs : public PiecePairs {
 public:
  PreparedPairs(const DataSet& data, size_t max_pairs);
  size_t size() const override { return size_; }
  void read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const override {
    data_.read(i * step_, source, target);
  }

 private:
  const DataSet& data_;
  size_t step_;
  size_t size_;
};

// Every 50th pair, held out for testing, or all the others, for training.
class PartOfPairs : public PiecePairs {
 public:
  enum class Part { training, held_out };
  PartOfPairs(const PiecePairs& all, Part part) : all_(all), part_(part) {}

  size_t size() const override;
  void read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const override;

 private:
  const PiecePairs& all_;
  Part part_;
};

// Encodes text: all pairs, or evenly spread ones if there are more than `max_pairs` (then at least
// about half that number). Memory is bounded by `max_pairs`. Pairs that `eatt corpus prepare` would
// drop are left out with a warning. Runs on all threads; the result does not depend on their
// number. Throws an Error if no pair is left.
StoredPairs encode_pairs(const std::vector<PairInput>& inputs, const Pieces& source,
                         const Pieces& target, size_t max_pairs);

}  // namespace eatt
