#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/word_links.h"
#include "text/corpus/duplicates.h"
#include "text/corpus/line_reader.h"
#include "text/corpus/pair_filter.h"
#include "text/corpus/pair_problem.h"

namespace eatt {

// Which columns of a TSV file are source and target, from 1. Without a choice every line must have
// two, source<TAB>target; with one, a line may have others, which are not looked at.
struct TsvColumns {
  size_t source = 0;
  size_t target = 0;
  bool chosen() const { return source != 0; }
};

// Where pairs come from: two files with the same number of lines, or one TSV file when `target` is
// empty. Each may be gzip, or standard input.
struct PairInput {
  TextFile source;
  TextFile target;
  TsvColumns columns{};  // Of a TSV file.
  TextFile links{};      // Word links, a line for each pair; without a path there are none.
  bool is_tsv() const { return target.path.empty(); }
  bool has_links() const { return !links.path.empty(); }
  // The file that holds a side's text: 0 source, 1 target.
  const TextFile& file(int side) const { return side == 1 && !is_tsv() ? target : source; }
  // "TSV", or "TSV, columns 2 and 5": how a TSV file is read.
  std::string tsv_description() const;
};

// Gives each input the file of its links, from --guided-alignment; none changes nothing. Throws a
// UsageError if there are more or fewer files than inputs.
void add_links(const std::vector<std::string>& files, std::vector<PairInput>& inputs);

struct RawPair {
  std::string_view source;  // Both valid until the next call.
  std::string_view target;
  std::string_view links{};                 // Of an input that has them.
  PairProblem problem = PairProblem::none;  // columns, long_line or none; others are not checked
  int side = 0;                             // at fault: 0 source, 1 target
  uint64_t detail = 0;                      // columns found, or bytes of the line
};

// The pairs of several inputs, one after another.
class PairReader {
 public:
  PairReader(std::vector<PairInput> inputs, size_t max_line_bytes);

  // False at the end of the last input. Throws an Error with both names and both line counts when
  // the sides of one input, or its links, have different numbers of lines.
  bool next(RawPair& pair);
  // Skips `pairs` pairs; returns how many there were.
  uint64_t skip(uint64_t pairs);

  size_t input() const { return input_; }                // Of the pair given last.
  uint64_t line_number() const { return line_number_; }  // Of the pair given last, in its input.
  uint64_t bytes_taken() const;                          // From all files so far.

 private:
  bool open_next();
  bool next_parallel(RawPair& pair);
  bool next_tsv(RawPair& pair);
  void take_links(RawPair& pair);
  void expect_no_more_links();
  bool has_columns(uint64_t columns) const;
  [[noreturn]] void fail_unequal(LineReader& longer);
  [[noreturn]] void fail_links();

  std::vector<PairInput> inputs_;
  size_t max_line_bytes_;
  size_t input_ = 0;
  size_t opened_ = 0;
  uint64_t line_number_ = 0;
  uint64_t bytes_of_finished_ = 0;
  std::unique_ptr<LineReader> source_;
  std::unique_ptr<LineReader> target_;  // Null for TSV.
  std::unique_ptr<LineReader> links_;   // Null without links.
};

// How many pieces the sides of a pair may have.
struct LengthLimits {
  size_t most = 0;
  size_t least = 1;
  std::optional<double> max_ratio = std::nullopt;  // Of the longer side to the shorter.
};

// Some consecutive pairs of one input: what a thread takes at a time.
struct PairChunk {
  struct Entry {
    uint32_t source_size = 0;
    uint32_t target_size = 0;
    PairProblem problem = PairProblem::none;
    uint8_t side = 0;                          // At fault: 0 source, 1 target.
    uint64_t detail = 0;                       // Columns, bytes or pieces found, by problem.
    uint32_t links_begin = 0, links_size = 0;  // In `links`.

    // Notes if a side has no pieces, or the lengths are not within the limits; true if the pair can
    // be used.
    bool has_usable_lengths(size_t source_pieces, size_t target_pieces, const LengthLimits& limits);
  };

  std::string text;   // All lines, one after another: source, target, source, target, …
  std::string links;  // Those of the entries, one after another.
  std::vector<Entry> entries;
  size_t input = 0;
  uint64_t first_line = 0;   // Of the first entry in its input, from 1.
  uint64_t first_pair = 0;   // The number of the first entry among the pairs of all inputs, from 0.
  uint64_t bytes_taken = 0;  // From all files, up to the end of this chunk; for progress.

  // The word links of an entry with this text, none if `input` has none. Throws an Error naming
  // file and line if they cannot be read, or lead to a word that the text does not have.
  std::vector<AlignmentLink> links_of(const Entry& entry, std::string_view source,
                                      std::string_view target, const PairInput& from) const;

  // Looks for problems in the text itself, for what filters leave out, and for duplicates, which
  // were found before; notes what it finds in the entries.
  void look_for_problems(const PairFilters& filters = {}, const PairMarks& duplicates = {});

  // Calls use(entry, source, target) for each pair without a problem, after looking for those of
  // the text itself, unless look_for_problems() has.
  template <typename Use>
  void for_each_usable(Use&& use) {
    if (!looked) look_for_problems();
    for_each([&](Entry& entry, std::string_view source, std::string_view target) {
      if (entry.problem == PairProblem::none) use(entry, source, target);
    });
  }

  bool looked = false;  // Whether look_for_problems() was called.

 private:
  template <typename Use>
  void for_each(Use&& use) {
    size_t at = 0;
    for (Entry& entry : entries) {
      const auto source = std::string_view(text).substr(at, entry.source_size);
      const auto target = std::string_view(text).substr(at + source.size(), entry.target_size);
      at += source.size() + target.size();
      use(entry, source, target);
    }
  }
};

class PairChunkReader {
 public:
  PairChunkReader(const std::vector<PairInput>& inputs, size_t max_line_bytes)
      : reader_(inputs, max_line_bytes) {}

  bool read(PairChunk& chunk);
  uint64_t skip(uint64_t pairs) {
    const uint64_t skipped = reader_.skip(pairs);
    pairs_read_ += skipped;
    return skipped;
  }

 private:
  PairReader reader_;
  uint64_t pairs_read_ = 0;  // Handed out or skipped.
  RawPair pair_;          // Read, but of another input than the chunk before: goes into the next.
  bool waiting_ = false;  // Whether there is one.
};

// Counts the problems of a chunk that for_each_usable() has gone through.
void count_problems(const PairChunk& chunk, const std::vector<PairInput>& inputs,
                    ProblemCounts& problems);

}  // namespace eatt
