#include "training/distributed/shares.h"

#include <algorithm>
#include <cmath>

#include "text/data/batches.h"

namespace eatt {
namespace {

constexpr double kNear = 0.03;  // Of a share: a cut so near to the end of a batch moves there.

// A batch in the row of all batches.
struct Stretch {
  size_t first_pair;
  size_t pairs;
  double first_piece;  // In pieces to compute, both sides.
  double pieces;
};

std::vector<Stretch> lay_out(const PairBatches& batches, std::span<const PairLength> lengths) {
  std::vector<Stretch> stretches;
  Stretch next = {};
  for (const auto& batch : batches) {
    const BatchShape shape = shape_of(lengths, batch);
    next.pairs = batch.size();
    next.pieces = static_cast<double>(shape.padded_source_words() + shape.padded_target_words());
    stretches.push_back(next);
    next.first_pair += next.pairs;
    next.first_piece += next.pieces;
  }
  return stretches;
}

// The number of the pair, among all, with which the share after a cut at `piece` begins.
size_t cut_at(const std::vector<Stretch>& stretches, double piece, double near) {
  for (const Stretch& stretch : stretches) {
    const double inside = piece - stretch.first_piece;
    if (inside <= near) return stretch.first_pair;
    if (inside >= stretch.pieces - near) continue;
    const double share = inside / stretch.pieces;
    return stretch.first_pair +
           static_cast<size_t>(std::lround(share * static_cast<double>(stretch.pairs)));
  }
  return stretches.back().first_pair + stretches.back().pairs;
}

// Where the shares begin; the last number is that of all pairs.
std::vector<size_t> cuts_of(const std::vector<Stretch>& stretches, size_t workers) {
  const Stretch& last = stretches.back();
  const size_t pairs = last.first_pair + last.pairs;
  const double share = (last.first_piece + last.pieces) / static_cast<double>(workers);
  std::vector<size_t> cuts = {0};
  for (size_t i = 1; i < workers; ++i) {
    // Each share has a pair, as far as there are enough for those before and after it.
    const size_t least = std::min(cuts.back() + 1, pairs);
    const size_t most = std::max(least, pairs - std::min(pairs, workers - i));
    cuts.push_back(
        std::clamp(cut_at(stretches, share * static_cast<double>(i), share * kNear), least, most));
  }
  cuts.push_back(pairs);
  return cuts;
}

}  // namespace

PairBatches share_of(const PairBatches& batches, std::span<const PairLength> lengths, size_t rank,
                     size_t workers) {
  if (workers == 1 || batches.empty()) return batches;
  const auto stretches = lay_out(batches, lengths);
  const auto cuts = cuts_of(stretches, workers);
  PairBatches share;
  for (size_t i = 0; i < batches.size(); ++i) {
    const size_t first = stretches[i].first_pair;
    const auto inside = [&](size_t pair) {
      return static_cast<std::ptrdiff_t>(std::clamp(pair, first, first + batches[i].size()) -
                                         first);
    };
    const auto begin = inside(cuts[rank]), end = inside(cuts[rank + 1]);
    if (begin < end) share.emplace_back(batches[i].begin() + begin, batches[i].begin() + end);
  }
  return share;
}

int64_t target_words(const PairBatches& batches, std::span<const PairLength> lengths) {
  int64_t words = 0;
  for (const auto& batch : batches) {
    words += static_cast<int64_t>(shape_of(lengths, batch).target_words);
  }
  return words;
}

}  // namespace eatt
