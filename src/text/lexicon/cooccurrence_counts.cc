#include "text/lexicon/cooccurrence_counts.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"

namespace eatt {
namespace {

constexpr int kFewestBits = 3;
constexpr size_t kParts = 16;          // What threads take at a time:
constexpr size_t kPairsPerPart = 512;  // parts of a block to read, then shards of the vocabulary.

// How closely two pieces are associated, among rows of one source piece: p(target | source) times
// p(source | target), without what is the same in the row. Frequent targets meet everything.
double association(const MeetingRow::Meeting& meeting, std::span<const uint64_t> target_counts) {
  const double count = meeting.count;
  return count * count / static_cast<double>(target_counts[static_cast<size_t>(meeting.target)]);
}

}  // namespace

void MeetingRow::add(int32_t target, size_t limit, std::span<const uint64_t> target_counts) {
  if (places_.empty()) rebuild({}, kFewestBits);
  const size_t mask = places_.size() - 1;
  size_t at = first_place(target, bits_);
  while (places_[at].target >= 0 && places_[at].target != target) at = (at + 1) & mask;
  if (places_[at].target == target) {
    ++places_[at].count;
    return;
  }
  places_[at] = {target, 1};
  if (++used_ > 2 * limit) {
    rebuild(best(limit, target_counts), bits_);
  } else if (used_ > places_.size() / 4 * 3) {
    rebuild(std::vector<Meeting>(places_), bits_ + 1);
  }
}

std::vector<MeetingRow::Meeting> MeetingRow::best(size_t limit,
                                                  std::span<const uint64_t> target_counts) const {
  std::vector<Meeting> meetings;
  std::ranges::copy_if(places_, std::back_inserter(meetings),
                       [](const Meeting& meeting) { return meeting.target >= 0; });
  if (meetings.size() > limit) {
    const auto closer = [&](const Meeting& a, const Meeting& b) {
      const double of_a = association(a, target_counts), of_b = association(b, target_counts);
      return of_a != of_b ? of_a > of_b : a.target < b.target;
    };
    std::ranges::nth_element(meetings, meetings.begin() + static_cast<ptrdiff_t>(limit), closer);
    meetings.resize(limit);
  }
  std::ranges::sort(meetings, {}, &Meeting::target);
  return meetings;
}

void MeetingRow::rebuild(std::span<const Meeting> meetings, int bits) {
  bits_ = bits;
  places_.assign(size_t{1} << bits, {});
  used_ = 0;
  for (const Meeting& meeting : meetings) {
    if (meeting.target >= 0) insert(meeting);
  }
}

void MeetingRow::insert(Meeting meeting) {
  size_t at = first_place(meeting.target, bits_);
  while (places_[at].target >= 0) at = (at + 1) & (places_.size() - 1);
  places_[at] = meeting;
  ++used_;
}

std::vector<std::vector<MeetingRow::Meeting>> count_meetings(
    const PiecePairs& pairs, int source_vocab, size_t limit,
    std::span<const uint64_t> target_counts) {
  expects(limit > 0, "a row has room");
  std::vector<MeetingRow> rows(static_cast<size_t>(source_vocab));
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
  // Each shard has its own source pieces, and sees the pairs in their order.
  const auto count_shard = [&](size_t shard, const StoredPairs& part) {
    for (size_t i = 0; i < part.size(); ++i) {
      for (const int32_t source : part.source(i)) {
        if (static_cast<size_t>(source) % kParts != shard) continue;
        MeetingRow& row = rows[static_cast<size_t>(source)];
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
  std::vector<std::vector<MeetingRow::Meeting>> best(rows.size());
  parallel_for(rows.size(), [&](size_t source) {
    best[source] = rows[source].best(limit, target_counts);
    rows[source] = {};
  });
  return best;
}

}  // namespace eatt
