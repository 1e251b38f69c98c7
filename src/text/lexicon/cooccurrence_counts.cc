#include <algorithm>
#include <array>
#include <atomic>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "text/lexicon/lexical_model.h"

namespace eatt {
namespace {

constexpr int kFewestBits = 3;
constexpr size_t kParts = 16;  // Of a block of pairs, read in parallel, and of the vocabulary.
constexpr size_t kPairsPerPart = 512;

// How closely two pieces are associated, among rows of one source piece: p(target | source) times
// p(source | target), without the factors that are constant in the row. Counts alone would favour
// frequent targets, which occur with every source piece.
double association(const CooccurrenceRow::Count& entry, std::span<const uint64_t> target_counts) {
  const double count = entry.count;
  return count * count / static_cast<double>(target_counts[static_cast<size_t>(entry.target)]);
}

}  // namespace

void CooccurrenceRow::add(int32_t target, size_t limit, std::span<const uint64_t> target_counts) {
  if (slots_.empty()) rebuild({}, kFewestBits);
  const size_t mask = slots_.size() - 1;
  size_t at = first_slot(target, bits_);
  while (slots_[at].target >= 0 && slots_[at].target != target) at = (at + 1) & mask;
  if (slots_[at].target == target) {
    ++slots_[at].count;
    return;
  }
  slots_[at] = {target, 1};
  if (++used_ > 2 * limit) {
    rebuild(best(limit, target_counts), bits_);
  } else if (used_ > slots_.size() / 4 * 3) {
    rebuild(std::vector<Count>(slots_), bits_ + 1);
  }
}

std::vector<CooccurrenceRow::Count> CooccurrenceRow::best(
    size_t limit, std::span<const uint64_t> target_counts) const {
  std::vector<Count> counts;
  std::ranges::copy_if(slots_, std::back_inserter(counts),
                       [](const Count& entry) { return entry.target >= 0; });
  if (counts.size() > limit) {
    const auto closer = [&](const Count& a, const Count& b) {
      const double of_a = association(a, target_counts), of_b = association(b, target_counts);
      return of_a != of_b ? of_a > of_b : a.target < b.target;
    };
    std::ranges::nth_element(counts, counts.begin() + static_cast<ptrdiff_t>(limit), closer);
    counts.resize(limit);
  }
  std::ranges::sort(counts, {}, &Count::target);
  return counts;
}

void CooccurrenceRow::rebuild(std::span<const Count> counts, int bits) {
  bits_ = bits;
  slots_.assign(size_t{1} << bits, {});
  used_ = 0;
  for (const Count& entry : counts) {
    if (entry.target >= 0) insert(entry);
  }
}

void CooccurrenceRow::insert(Count entry) {
  size_t at = first_slot(entry.target, bits_);
  while (slots_[at].target >= 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = entry;
  ++used_;
}

std::vector<std::vector<CooccurrenceRow::Count>> count_cooccurrences(
    const PiecePairs& pairs, int source_vocab, size_t limit,
    std::span<const uint64_t> target_counts) {
  expects(limit > 0, "a row has room for a piece");
  std::vector<CooccurrenceRow> rows(static_cast<size_t>(source_vocab));
  std::array<StoredPairs, kParts> block;
  const auto read_part = [&](size_t first, StoredPairs& part) {
    std::vector<int32_t> source, target;
    part.clear();
    for (size_t i = first; i < std::min(first + kPairsPerPart, pairs.size()); ++i) {
      pairs.read(i, source, target);
      std::erase(target, kUnknownPiece);
      part.add(source, target);
    }
  };
  // Each shard counts its own source pieces, and reads the pairs in order.
  const auto count_shard = [&](size_t shard, const StoredPairs& part) {
    for (size_t i = 0; i < part.size(); ++i) {
      for (const int32_t source : part.source(i)) {
        if (static_cast<size_t>(source) % kParts != shard) continue;
        CooccurrenceRow& row = rows[static_cast<size_t>(source)];
        for (const int32_t target : part.target(i)) row.add(target, limit, target_counts);
      }
    }
  };
  Progress progress("counting", pairs.size(), "pairs");
  for (size_t first = 0; first < pairs.size(); first += kParts * kPairsPerPart) {
    parallel_for(kParts, [&](size_t k) { read_part(first + k * kPairsPerPart, block[k]); });
    parallel_for(kParts, [&](size_t shard) {
      for (const StoredPairs& part : block) count_shard(shard, part);
    });
    progress.update(std::min(first + kParts * kPairsPerPart, pairs.size()));
  }
  progress.finish();
  std::vector<std::vector<CooccurrenceRow::Count>> best(rows.size());
  parallel_for(rows.size(), [&](size_t source) {
    best[source] = rows[source].best(limit, target_counts);
    rows[source] = {};
  });
  return best;
}

std::vector<uint64_t> count_target_pieces(const PiecePairs& pairs, int target_vocab) {
  std::vector<uint64_t> counts(static_cast<size_t>(target_vocab));
  for_each_part(
      pairs.size(),
      [&](size_t first, size_t end) {
        std::vector<int32_t> source, target;
        for (size_t i = first; i < end; ++i) {
          pairs.read(i, source, target);
          for (const int32_t piece : target) {
            std::atomic_ref(counts[static_cast<size_t>(piece)])
                .fetch_add(1, std::memory_order_relaxed);
          }
        }
      },
      [](size_t) {});
  return counts;
}

}  // namespace eatt
