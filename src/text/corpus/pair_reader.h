#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/corpus/line_reader.h"
#include "text/corpus/pair_problem.h"

namespace eatt {

// Where pairs come from: two files of equally many lines, or one TSV file (source<TAB>target) when
// `target` is empty. Each may be gzip, or standard input.
struct PairInput {
  TextFile source;
  TextFile target;
  bool is_tsv() const { return target.path.empty(); }
  // The file that holds a side's text: 0 source, 1 target.
  const TextFile& file(int side) const { return side == 1 && !is_tsv() ? target : source; }
};

struct RawPair {
  std::string_view source;  // Both valid until the next call.
  std::string_view target;
  PairProblem problem = PairProblem::none;  // columns, long_line or none; the rest is not looked at
  int side = 0;                             // at fault: 0 source, 1 target
  uint64_t detail = 0;                      // columns found, or bytes of the line
};

// The pairs of several inputs, one after another.
class PairReader {
 public:
  PairReader(std::vector<PairInput> inputs, size_t max_line_bytes);

  // False at the end of the last input. Throws an Error with both names and both line counts when
  // the sides of one input do not have equally many lines.
  bool next(RawPair& pair);
  // Passes over `pairs` pairs; returns how many there were.
  uint64_t skip(uint64_t pairs);

  size_t input() const { return input_; }                // Of the pair given last.
  uint64_t line_number() const { return line_number_; }  // Of the pair given last, in its input.
  uint64_t bytes_taken() const;                          // From all files so far.

 private:
  bool open_next();
  bool next_parallel(RawPair& pair);
  bool next_tsv(RawPair& pair);
  [[noreturn]] void fail_unequal(LineReader& longer);

  std::vector<PairInput> inputs_;
  size_t max_line_bytes_;
  size_t input_ = 0;
  size_t opened_ = 0;
  uint64_t line_number_ = 0;
  uint64_t bytes_of_finished_ = 0;
  std::unique_ptr<LineReader> source_;
  std::unique_ptr<LineReader> target_;  // Null for TSV.
};

}  // namespace eatt
