#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/files/text_file.h"
#include "base/threads.h"
#include "text/lexicon/piece_pairs.h"
#include "text/pieces/pieces.h"

namespace eatt {

// p(target piece | source piece), for the likely target pieces.
class LexicalModel {
 public:
  struct Entry {
    int32_t target = 0;
    float probability = 0;
    bool operator==(const Entry&) const = default;
  };

  // A row for each source piece, in any order.
  explicit LexicalModel(std::vector<std::vector<Entry>> rows);

  size_t source_vocab() const { return rows_.size(); }
  // The most likely first; ties in order of their ids.
  std::span<const Entry> likely(int32_t source) const { return rows_[static_cast<size_t>(source)]; }
  // 0 for a pair that is not listed.
  float probability(int32_t source, int32_t target) const;

 private:
  std::vector<std::vector<Entry>> rows_;
};

// Reads a lexicon as Marian's tools write it (lex.s2t): lines of `target source probability`, with
// pieces as text. Lines with a piece that is not in the vocabulary (or NULL) are skipped with a
// warning. Throws an Error with the line's number for malformed lines, or if no line is left.
LexicalModel read_lexicon(const TextFile& file, const Pieces& source, const Pieces& target);

struct LexicalTrainingOptions {
  int source_vocab = 0;  // Pieces of each side.
  int target_vocab = 0;
  int iterations = 5;
  // Most target pieces kept for a source piece, those with the strongest association. It bounds
  // memory: a table of 8 KB for each source piece, and about as much again while it is built.
  size_t max_row = 384;
};

// IBM Model 1 with a NULL word, by expectation maximisation from equal probabilities. Runs on all
// threads; the result does not depend on their number. Shows progress.
LexicalModel train_lexical_model(const PiecePairs& pairs, const LexicalTrainingOptions& options);

// The first slot to try for a piece in an open-addressing table of 2^bits slots.
inline size_t first_slot(int32_t piece, int bits) {
  return (static_cast<uint32_t>(piece) * 0x9e3779b1u) >> (32 - bits);
}

// The target pieces that occur in the same sentence pairs as one source piece, with counts. When
// there are twice as many as the limit, the half with the weakest association is dropped.
class CooccurrenceRow {
 public:
  struct Count {
    int32_t target = -1;  // Negative: a free slot.
    uint32_t count = 0;
  };

  // `target_counts`: how often each target piece occurs in the corpus.
  void add(int32_t target, size_t limit, std::span<const uint64_t> target_counts);
  // The `limit` most associated ones, in order of their target ids.
  std::vector<Count> best(size_t limit, std::span<const uint64_t> target_counts) const;

 private:
  void insert(Count entry);
  void rebuild(std::span<const Count> counts, int bits);

  std::vector<Count> slots_;
  int bits_ = 0;
  size_t used_ = 0;
};

// A row of at most `limit` target pieces for each source piece. Memory is bounded. Runs on all
// threads; the result does not depend on their number. <unk> on the target side is not counted.
std::vector<std::vector<CooccurrenceRow::Count>> count_cooccurrences(
    const PiecePairs& pairs, int source_vocab, size_t limit,
    std::span<const uint64_t> target_counts);

// How often each target piece occurs, by id.
std::vector<uint64_t> count_target_pieces(const PiecePairs& pairs, int target_vocab);

// Calls work(first, end) for parts of [0, count) on all threads, and on_progress(end) now and then.
template <typename Work, typename OnProgress>
void for_each_part(size_t count, const Work& work, const OnProgress& on_progress) {
  constexpr size_t kPairsPerTask = 256;
  constexpr size_t kRound = kPairsPerTask * 256;  // Between two calls of on_progress.
  for (size_t start = 0; start < count; start += kRound) {
    const size_t stop = std::min(start + kRound, count);
    parallel_for((stop - start + kPairsPerTask - 1) / kPairsPerTask, [&](size_t task) {
      const size_t first = start + task * kPairsPerTask;
      work(first, std::min(first + kPairsPerTask, stop));
    });
    on_progress(stop);
  }
}

}  // namespace eatt
