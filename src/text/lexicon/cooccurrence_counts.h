#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/lexicon/piece_pairs.h"

namespace eatt {

// Where a piece begins to look for its place in an open-addressing table of 2^bits places.
inline size_t first_place(int32_t piece, int bits) {
  return (static_cast<uint32_t>(piece) * 0x9e3779b1u) >> (32 - bits);
}

// The target pieces that one source piece meets in sentence pairs, with counts. When they become
// twice as many as the limit, the least associated half goes.
class MeetingRow {
 public:
  struct Meeting {
    int32_t target = -1;  // Negative: a free place.
    uint32_t count = 0;
  };

  // `target_counts` is how often each target piece occurs at all.
  void add(int32_t target, size_t limit, std::span<const uint64_t> target_counts);
  // At most `limit` of them, by id of the target piece.
  std::vector<Meeting> best(size_t limit, std::span<const uint64_t> target_counts) const;

 private:
  void insert(Meeting meeting);
  void rebuild(std::span<const Meeting> meetings, int bits);

  std::vector<Meeting> places_;
  int bits_ = 0;
  size_t used_ = 0;
};

// A row of at most `limit` target pieces for each source piece. In bounded memory, on all threads;
// the result does not depend on their number. <unk> on the target side does not count.
std::vector<std::vector<MeetingRow::Meeting>> count_meetings(
    const PiecePairs& pairs, int source_vocab, size_t limit,
    std::span<const uint64_t> target_counts);

}  // namespace eatt
