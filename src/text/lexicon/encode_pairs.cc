#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/ordered_pipeline.h"
#include "base/pool.h"
#include "base/progress.h"
#include "text/corpus/pair_reader.h"
#include "text/lexicon/piece_pairs.h"
#include "text/pieces/piece_encoder.h"

namespace eatt {
namespace {

constexpr size_t kMaxLineBytes = 16'384;
constexpr size_t kMaxLength = 256;  // Pieces of a side; both limits are those of corpus prepare.

struct EncodedChunk : PairChunk {
  uint64_t first_pair = 0;  // Its number among all that were read.
  StoredPairs pairs;
  std::vector<uint64_t> numbers;  // Of `pairs`.
};

// What a thread encodes with.
class ChunkEncoder {
 public:
  ChunkEncoder(const Pieces& source, const Pieces& target)
      : source_encoder_(source), target_encoder_(target) {}

  // Encodes the pairs whose number is a multiple of `step`.
  void encode(EncodedChunk& chunk, uint64_t step) {
    chunk.pairs.clear();
    chunk.numbers.clear();
    chunk.for_each_usable(
        [&](PairChunk::Entry& entry, std::string_view source, std::string_view target) {
          const uint64_t number =
              chunk.first_pair + static_cast<uint64_t>(&entry - chunk.entries.data());
          if (number % step != 0) return;
          source_ids_.clear();
          target_ids_.clear();
          source_encoder_.append(source, source_ids_);
          target_encoder_.append(target, target_ids_);
          if (!entry.has_usable_lengths(source_ids_.size(), target_ids_.size(), kMaxLength)) return;
          chunk.pairs.add(source_ids_, target_ids_);
          chunk.numbers.push_back(number);
        });
  }

 private:
  PieceEncoder source_encoder_;
  PieceEncoder target_encoder_;
  std::vector<int32_t> source_ids_;
  std::vector<int32_t> target_ids_;
};

// Evenly spread pairs, as many as a limit allows: those whose number is a multiple of step(). When
// they become too many, the step doubles and half of them go.
class EvenSample {
 public:
  explicit EvenSample(size_t max_pairs) : max_pairs_(max_pairs) {
    expects(max_pairs > 0, "at least one pair is wanted");
  }

  // May be called while another thread adds: it then gets the step before, at worst, and encodes
  // pairs that are not wanted any more.
  uint64_t step() const { return step_; }

  void add(const EncodedChunk& chunk) {
    for (size_t i = 0; i < chunk.numbers.size(); ++i) {
      if (chunk.numbers[i] % step_ != 0) continue;
      pairs_.add(chunk.pairs.source(i), chunk.pairs.target(i));
      numbers_.push_back(chunk.numbers[i]);
      while (pairs_.size() > max_pairs_) halve();
    }
  }

  StoredPairs take() { return std::move(pairs_); }

 private:
  void halve() {
    step_ = 2 * step_;
    pairs_.keep_if([&](size_t i) { return numbers_[i] % step_ == 0; });
    std::erase_if(numbers_, [&](uint64_t number) { return number % step_ != 0; });
  }

  size_t max_pairs_;
  std::atomic<uint64_t> step_ = 1;
  StoredPairs pairs_;
  std::vector<uint64_t> numbers_;  // Of each pair, among all that were read.
};

}  // namespace

StoredPairs encode_pairs(const std::vector<PairInput>& inputs, const Pieces& source,
                         const Pieces& target, size_t max_pairs) {
  PairChunkReader reader(inputs, kMaxLineBytes);
  Pool<ChunkEncoder> encoders([&] { return std::make_unique<ChunkEncoder>(source, target); });
  EvenSample sample(max_pairs);
  ProblemCounts problems;
  uint64_t pairs_read = 0;
  Progress progress("encoding", 0, "pairs");
  ordered_pipeline<EncodedChunk>(
      [&](EncodedChunk& chunk) {
        chunk.first_pair = pairs_read;
        if (!reader.read(chunk)) return false;
        pairs_read += chunk.entries.size();
        return true;
      },
      [&](EncodedChunk& chunk) {
        Pool<ChunkEncoder>::Lease(encoders)->encode(chunk, sample.step());
      },
      [&](EncodedChunk& chunk) {
        sample.add(chunk);
        count_problems(chunk, inputs, problems);
        progress.update(chunk.first_pair + chunk.entries.size());
      });
  progress.finish();
  StoredPairs pairs = sample.take();
  if (pairs.size() == 0) {
    throw Error(fmt::format("none of the {} pairs can be used{}{}", format_count(pairs_read),
                            problems.total() > 0 ? ": " : "", problems.text()));
  }
  if (problems.total() > 0) spdlog::warn("left out: {}", problems.text());
  return pairs;
}

}  // namespace eatt
