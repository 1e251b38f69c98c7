#include "text/data/batches.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>

#include "base/error.h"

namespace eatt {
namespace {

constexpr size_t kBatchesPerWindow = 256;
constexpr size_t kLargestDefaultWindow = size_t{1} << 20;  // Pairs: 16 MiB.
constexpr size_t kSampledPairs = 4096;
// Pages of mapped files that may come into memory before those of the data set are released. How
// many come with a pair is up to the kernel; with Linux 6.18 it seems to be up to 2 MB of each
// file.
constexpr uint64_t kResidentBytes = uint64_t{128} << 20;
constexpr uint64_t kPairsPerRelease = 1 << 16;  // Where the kernel does not tell.
constexpr size_t kPlacesPerRelease = 16;        // All over the file.

// A position: window number, then the number of the batch in it.
constexpr int kBatchBits = 32;
constexpr uint64_t kBatchMask = (uint64_t{1} << kBatchBits) - 1;

uint64_t divide_up(uint64_t count, uint64_t by) { return count / by + (count % by != 0); }

size_t counted_words(size_t source, size_t target, CountedSide side) {
  switch (side) {
    case CountedSide::source:
      return source;
    case CountedSide::target:
      return target;
    case CountedSide::larger:
      break;
  }
  return std::max(source, target);
}

bool fits(const BatchShape& batch, const BatchOptions& options) {
  if (options.max_pairs != 0 && batch.pairs > options.max_pairs) return false;
  if (options.words == 0) return true;
  const size_t words =
      options.count_padding
          ? counted_words(batch.padded_source_words(), batch.padded_target_words(),
                          options.counted_side)
          : counted_words(batch.source_words, batch.target_words, options.counted_side);
  return words <= options.words;
}

// How many pairs a batch will have, estimated from pairs spread evenly over the corpus (not empty).
// If given, `release` is called from time to time to give back what was read.
double typical_pairs_per_batch(const KeptPairs& kept, const BatchOptions& options,
                               const std::function<void()>& release) {
  BatchShape sample;
  const size_t step = divide_up(kept.size(), kSampledPairs);
  for (size_t i = 0; i < kept.size(); i += step) {
    sample.add(kept.lengths[kept.place(i)]);
    if (release && sample.pairs % kPlacesPerRelease == 0) release();
  }
  const auto words = static_cast<double>(
      counted_words(sample.source_words, sample.target_words, options.counted_side));
  const auto by_words =
      static_cast<double>(options.words) * static_cast<double>(sample.pairs) / words;
  const auto by_pairs = static_cast<double>(options.max_pairs);
  if (options.words == 0) return by_pairs;
  return options.max_pairs == 0 ? by_words : std::min(by_words, by_pairs);
}

size_t default_window_pairs(const KeptPairs& kept, const BatchOptions& options,
                            const std::function<void()>& release = {}) {
  const double wanted = typical_pairs_per_batch(kept, options, release) * kBatchesPerWindow;
  return static_cast<size_t>(std::clamp(wanted, 1.0, static_cast<double>(kLargestDefaultWindow)));
}

// Neighbours in the order of their keys have similar lengths on both sides: by the longer side
// first (21 bits), then by source minus target (22 bits), then at random (21 bits). The difference
// alternates between ascending and descending, so that it does not jump where the longer side grows
// by one: 2.9 % of padding on Multi30k where sorting by source and then target had 7.3 %.
uint64_t sort_key(PairLength length, uint64_t random_bits) {
  constexpr int64_t kMost = (int64_t{1} << 21) - 1;  // All longer lengths count as equal.
  const int64_t source = std::min<int64_t>(length.source, kMost);
  const int64_t target = std::min<int64_t>(length.target, kMost);
  const int64_t longer = std::max(source, target);
  const int64_t difference = longer % 2 == 0 ? source - target : target - source;
  return static_cast<uint64_t>(longer) << 43 | static_cast<uint64_t>(difference + kMost) << 21 |
         random_bits >> 43;
}

// Pages of files, libraries included, that this process has in memory; nothing if the kernel does
// not tell.
std::optional<uint64_t> resident_file_bytes() {
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0, resident = 0, of_files = 0;
  if (!(file >> all >> resident >> of_files)) return {};
  return of_files * page;
}

// Takes the pairs that are left out, by their places among all, from those of the corpora.
std::vector<SampledCorpus> without(std::span<const uint64_t> left_out,
                                   std::vector<SampledCorpus> corpora) {
  uint64_t begin = 0;
  for (SampledCorpus& corpus : corpora) {
    const uint64_t end = begin + corpus.pairs;
    const auto first = std::ranges::lower_bound(left_out, begin);
    const auto last = std::ranges::lower_bound(left_out, end);
    corpus.pairs -= static_cast<uint64_t>(last - first);
    begin = end;
  }
  return corpora;
}

}  // namespace

uint64_t KeptPairs::place(uint64_t i) const {
  // As many precede it as are smaller than i plus those before themselves.
  size_t low = 0, high = left_out.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (left_out[middle] - middle <= i) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return i + low;
}

void BatchShape::add(PairLength length) {
  const size_t source = size_t{length.source} + 1;
  const size_t target = size_t{length.target} + 1;
  ++pairs;
  source_words += source;
  target_words += target;
  longest_source = std::max(longest_source, source);
  longest_target = std::max(longest_target, target);
}

BatchShape shape_of(std::span<const PairLength> lengths, std::span<const uint64_t> pairs) {
  BatchShape shape;
  for (const uint64_t pair : pairs) shape.add(lengths[pair]);
  return shape;
}

EpochBatches::EpochBatches(std::span<const PairLength> lengths, const BatchOptions& options,
                           uint64_t seed, uint64_t epoch, std::span<const uint64_t> left_out)
    : kept_{.lengths = lengths, .left_out = left_out},
      options_(options),
      seed_(seed),
      epoch_seed_(Random::stream(seed, epoch).next()) {
  if (options.words == 0 && options.max_pairs == 0) {
    throw UsageError("batches: no limit is set; give the words or the pairs of a batch");
  }
  if (options.block_pairs == 0) throw UsageError("batches: a block of 0 pairs; give 1 or more");
  options_.corpora = without(left_out, options.corpora);
  plan_draws(epoch);
  if (draws_.empty()) return;

  if (options.order == BatchOrder::shuffled) {
    Random::stream(epoch_seed_, 0).shuffle(std::span(draws_));
  }
  const size_t window_pairs =
      options.window_pairs != 0 ? options.window_pairs : default_window_pairs(kept_, options);
  // Those of a corpus with a small weight have few pairs each.
  const size_t draw_pairs =
      options.corpora.empty() ? options.block_pairs : divide_up(pairs_in_epoch_, draws_.size());
  const size_t draws_per_window = std::max<size_t>(1, window_pairs / draw_pairs);
  windows_ = divide_up(draws_.size(), draws_per_window);
  enter_window(0);
}

void EpochBatches::plan_draws(uint64_t epoch) {
  const std::vector<SampledCorpus> all = {{.pairs = kept_.size()}};
  uint64_t first = 0;
  for (const SampledCorpus& corpus : options_.corpora.empty() ? all : options_.corpora) {
    const uint64_t end = first + corpus.pairs;
    expects(end <= kept_.size(), "the corpora are inside the data");
    for (; first < end; first += options_.block_pairs) {
      const auto size = std::min<uint64_t>(options_.block_pairs, end - first);
      add_draws(first, static_cast<uint32_t>(size), corpus.weight, epoch);
    }
    first = end;
  }
  expects(first == kept_.size(), "the corpora are all of the data");
}

void EpochBatches::add_draws(uint64_t first, uint32_t size, double weight, uint64_t epoch) {
  const double in_epoch = weight * size;
  const auto given_after = [&](uint64_t epochs) {
    return static_cast<uint64_t>(in_epoch * static_cast<double>(epochs));
  };
  const uint64_t end = given_after(epoch + 1);
  for (uint64_t at = given_after(epoch); at < end; at += size) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(size, end - at));
    draws_.push_back({first, size, static_cast<uint32_t>(at % size), count});
    pairs_in_epoch_ += count;
  }
}

bool EpochBatches::next(std::vector<uint64_t>& pairs) {
  pairs.clear();
  if (window_is_used_up()) enter_window(window_index_ + 1);
  if (window_index_ == windows_) return false;
  const Batch batch = batches_[batch_index_++];
  for (size_t i = batch.begin; i < batch.end; ++i) pairs.push_back(window_[i].pair);
  pairs_done_ += pairs.size();
  return true;
}

uint64_t EpochBatches::position() const {
  if (window_is_used_up()) return uint64_t{window_index_ + 1} << kBatchBits;
  return uint64_t{window_index_} << kBatchBits | batch_index_;
}

void EpochBatches::seek(uint64_t position) {
  const size_t window = position >> kBatchBits;
  const size_t batch = position & kBatchMask;
  if (window <= windows_) enter_window(window);
  const bool exists =
      window < windows_ ? batch < batches_.size() : window == windows_ && batch == 0;
  if (!exists) {
    throw Error(fmt::format(
        "batches: no batch {} in window {} of {} windows; the data or the batch options are not "
        "those of the checkpoint: give the same ones, or start a new epoch",
        batch, window, windows_));
  }
  batch_index_ = batch;
  pairs_done_ = 0;
  for (size_t before = 0; before < window; ++before) {
    for (const Draw& draw : draws_of_window(before)) pairs_done_ += draw.count;
  }
  for (size_t before = 0; before < batch; ++before) {
    pairs_done_ += batches_[before].end - batches_[before].begin;
  }
}

bool EpochBatches::window_is_used_up() const {
  return window_index_ < windows_ && batch_index_ == batches_.size();
}

// The draws are distributed evenly, so that no window is a small rest with badly filled batches.
std::span<const EpochBatches::Draw> EpochBatches::draws_of_window(size_t window) const {
  const size_t begin = draws_.size() * window / windows_;
  const size_t end = draws_.size() * (window + 1) / windows_;
  return std::span(draws_).subspan(begin, end - begin);
}

std::vector<uint64_t> EpochBatches::pairs_of(const Draw& draw) const {
  std::vector<uint64_t> order(draw.size);
  std::iota(order.begin(), order.end(), draw.first);
  if (draw.count == draw.size) return order;
  // The same in every epoch; other seeds than those of the epochs.
  Random::stream(~seed_, draw.first).shuffle(std::span(order));
  std::rotate(order.begin(), order.begin() + draw.begin, order.end());
  order.resize(draw.count);
  std::ranges::sort(order);
  return order;
}

void EpochBatches::enter_window(size_t window) {
  window_index_ = window;
  batch_index_ = 0;
  window_.clear();
  batches_.clear();
  if (window == windows_) return;

  // A stream for each window: seek() need not draw what the windows before it drew.
  Random random = Random::stream(epoch_seed_, window + 1);
  gather(random);
  if (options_.order != BatchOrder::as_given) {
    std::sort(window_.begin(), window_.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.pair < b.pair;
    });
  }
  cut();
  if (options_.order == BatchOrder::shuffled) random.shuffle(std::span(batches_));
}

void EpochBatches::gather(Random& random) {
  const bool shuffled = options_.order == BatchOrder::shuffled;
  const std::span<const Draw> draws = draws_of_window(window_index_);
  uint64_t pairs = 0;
  for (const Draw& draw : draws) pairs += draw.count;
  window_.reserve(pairs);
  for (const Draw& draw : draws) {
    for (const uint64_t number : pairs_of(draw)) {
      const uint64_t pair = kept_.place(number);
      window_.push_back({sort_key(kept_.lengths[pair], shuffled ? random.next() : 0), pair});
    }
  }
}

// As many pairs as fit, in their order; a pair that does not fit anywhere gets a batch of its own.
void EpochBatches::cut() {
  BatchShape shape;
  size_t begin = 0;
  for (size_t i = 0; i < window_.size(); ++i) {
    const PairLength length = kept_.lengths[window_[i].pair];
    BatchShape with_this = shape;
    with_this.add(length);
    if (i > begin && !fits(with_this, options_)) {
      batches_.push_back({begin, i});
      begin = i;
      with_this = {};
      with_this.add(length);
    }
    shape = with_this;
  }
  batches_.push_back({begin, window_.size()});
}

std::vector<uint64_t> pairs_longer_than(const DataSet& data, int64_t max_length) {
  const auto is_longer = [&](PairLength length) {
    return std::max(length.source, length.target) > max_length;
  };
  // Counted first: a vector that grows takes three times as much for a moment.
  size_t count = 0;
  data.each_length([&](size_t, PairLength length) { count += is_longer(length); });
  std::vector<uint64_t> longer;
  longer.reserve(count);
  if (count == 0) return longer;
  data.each_length([&](size_t i, PairLength length) {
    if (is_longer(length)) longer.push_back(i);
  });
  return longer;
}

BatchStream::BatchStream(const DataSet& data, const BatchOptions& options, uint64_t seed,
                         int64_t max_length)
    : data_(data), left_out_(pairs_longer_than(data, max_length)), options_(options), seed_(seed) {
  const auto corpora = without(left_out_, options.corpora);
  const bool none = corpora.empty()
                        ? left_out_.size() == data.size()
                        : std::ranges::none_of(corpora, [](const SampledCorpus& corpus) {
                            return corpus.weight > 0 && corpus.pairs > 0;
                          });
  if (none) throw Error("the training data has no pair of sentences");
  if (options_.window_pairs == 0) {
    options_.window_pairs =
        default_window_pairs({data.lengths(), left_out_}, options_, [&] { data.release_pages(); });
  }
  begin_epoch(0);
}

void BatchStream::begin_epoch(uint64_t epoch) {
  epoch_ = epoch;
  batches_ = std::make_unique<EpochBatches>(data_.lengths(), options_, seed_, epoch, left_out_);
}

void BatchStream::release_pages_sometimes() {
  pairs_since_release_ += pairs_.size();
  const auto resident = resident_file_bytes();
  if (resident ? *resident < resident_after_release_ + kResidentBytes
               : pairs_since_release_ < kPairsPerRelease)
    return;
  data_.release_pages();
  pairs_since_release_ = 0;
  resident_after_release_ = resident_file_bytes().value_or(0);
}

const std::vector<uint64_t>& BatchStream::next() {
  // Small corpora with small weights have epochs without a pair.
  while (!batches_->next(pairs_)) begin_epoch(epoch_ + 1);
  // The epoch counts as done with its last batch, not with the first of the next.
  if (batches_->pairs_done() == pairs_in_epoch()) begin_epoch(epoch_ + 1);
  release_pages_sometimes();
  return pairs_;
}

double BatchStream::progress() const {
  if (pairs_in_epoch() == 0) return 0;
  return static_cast<double>(batches_->pairs_done()) / static_cast<double>(pairs_in_epoch());
}

void BatchStream::seek(uint64_t epoch, uint64_t position) {
  begin_epoch(epoch);
  batches_->seek(position);
}

}  // namespace eatt
