#include "text/lexicon/piece_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "text/corpus/pair_reader.h"
#include "text/pieces/piece_encoder.h"

namespace eatt {
namespace {

constexpr size_t kHeldOutStep = 50;
constexpr size_t kMaxLineBytes = 16'384;
constexpr size_t kMaxLength = 256;  // Pieces of a side; both limits are those of corpus prepare.

struct EncodedChunk : PairChunk {
  StoredPairs pairs;
  std::vector<uint64_t> numbers;  // Of `pairs`.
};

// Encodes the pairs whose number is a multiple of `step`.
void encode_chunk(EncodedChunk& chunk, uint64_t step, PairEncoder& encoder) {
  chunk.pairs.clear();
  chunk.numbers.clear();
  chunk.for_each_usable([&](PairChunk::Entry& entry, std::string_view source,
                            std::string_view target) {
    const uint64_t number = chunk.first_pair + static_cast<uint64_t>(&entry - chunk.entries.data());
    if (number % step != 0) return;
    encoder.encode(source, target);
    if (!entry.has_usable_lengths(encoder.source_ids.size(), encoder.target_ids.size(),
                                  {.most = kMaxLength})) {
      return;
    }
    chunk.pairs.add(encoder.source_ids, encoder.target_ids);
    chunk.numbers.push_back(number);
  });
}

// Evenly spread pairs, at most `max_pairs`: those whose number is a multiple of step(). When there
// are too many, the step doubles and half of them are dropped.
class EvenSample {
 public:
  explicit EvenSample(size_t max_pairs) : max_pairs_(max_pairs) {
    expects(max_pairs > 0, "room for at least one pair");
  }

  // May be called while another thread adds: at worst it returns the previous step, and the caller
  // encodes pairs that are no longer wanted.
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

std::span<const int32_t> StoredPairs::side(size_t k) const {
  const size_t begin = k == 0 ? 0 : ends_[k - 1];
  return std::span(ids_).subspan(begin, ends_[k] - begin);
}

void StoredPairs::read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const {
  source.assign(this->source(i).begin(), this->source(i).end());
  target.assign(this->target(i).begin(), this->target(i).end());
}

void StoredPairs::add(std::span<const int32_t> source, std::span<const int32_t> target) {
  for (const auto side : {source, target}) {
    ids_.insert(ids_.end(), side.begin(), side.end());
    ends_.push_back(ids_.size());
  }
}

void StoredPairs::clear() {
  ids_.clear();
  ends_.clear();
}

void StoredPairs::keep_if(const std::function<bool(size_t)>& keep) {
  size_t kept_ids = 0, kept_ends = 0, begin = 0;
  for (size_t i = 0; i < size(); ++i) {
    const size_t middle = ends_[2 * i], end = ends_[2 * i + 1];
    if (keep(i)) {
      std::copy(ids_.begin() + static_cast<ptrdiff_t>(begin),
                ids_.begin() + static_cast<ptrdiff_t>(end),
                ids_.begin() + static_cast<ptrdiff_t>(kept_ids));
      ends_[kept_ends++] = kept_ids + middle - begin;
      kept_ids += end - begin;
      ends_[kept_ends++] = kept_ids;
    }
    begin = end;
  }
  ids_.resize(kept_ids);
  ends_.resize(kept_ends);
}

PreparedPairs::PreparedPairs(const DataSet& data, size_t max_pairs) : data_(data) {
  expects(max_pairs > 0, "room for at least one pair");
  step_ = std::max<size_t>(1, (data.size() + max_pairs - 1) / max_pairs);
  size_ = (data.size() + step_ - 1) / step_;
}

size_t PartOfPairs::size() const {
  const size_t held_out = all_.size() / kHeldOutStep;
  return part_ == Part::held_out ? held_out : all_.size() - held_out;
}

void PartOfPairs::read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const {
  all_.read(
      part_ == Part::held_out ? i * kHeldOutStep + kHeldOutStep - 1 : i + i / (kHeldOutStep - 1),
      source, target);
}

StoredPairs encode_pairs(const std::vector<PairInput>& inputs, const Pieces& source,
                         const Pieces& target, size_t max_pairs) {
  PairChunkReader reader(inputs, kMaxLineBytes);
  Pool<PairEncoder> encoders([&] { return std::make_unique<PairEncoder>(source, target); });
  EvenSample sample(max_pairs);
  ProblemCounts problems;
  uint64_t pairs_read = 0;
  Progress progress("encoding", 0, "pairs");
  ordered_pipeline<EncodedChunk>(
      [&](EncodedChunk& chunk) {
        if (!reader.read(chunk)) return false;
        pairs_read += chunk.entries.size();
        return true;
      },
      [&](EncodedChunk& chunk) {
        encode_chunk(chunk, sample.step(), *Pool<PairEncoder>::Lease(encoders));
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
