#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "text/corpus/pair_reader.h"
#include "text/data/data_set_format.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {

enum class BadLines {
  drop,    // Leave out pairs with NUL bytes, invalid UTF-8, … and say how many.
  refuse,  // Stop before anything is made if there is one.
};

struct PrepareOptions {
  std::vector<PairInput> inputs;
  std::filesystem::path output;  // A folder, made if it is missing.

  bool joint_vocabulary = true;
  PieceTrainingOptions pieces;  // For both sides.
  int target_vocab_size = 0;    // 0: that of `pieces`. Only for separate vocabularies.
  // Models to use instead of training: one for both sides, or source and target.
  std::vector<std::filesystem::path> piece_models;
  uint64_t sample_size = 1'000'000;  // Pairs whose words the pieces are learnt from, chosen at
  uint64_t seed = 1;                 // random by this seed.

  size_t max_line_bytes = 16'384;  // Of a line on either side.
  uint32_t max_length = 256;       // Pieces of either side, markers not counted.
  PairFilters filters;
  BadLines bad_lines = BadLines::drop;

  // Replaces what is in `output`. An interrupted run with these options is still continued.
  bool overwrite = false;

  // Pairs after which progress is saved; a killed run repeats at most this many.
  uint64_t pairs_per_commit = 1 << 17;
  // Called after each step that a later run need not repeat: "plan", "check", "source.spm",
  // "encoding", "finished", a file's name when it is in place. Tests end the process here.
  std::function<void(std::string_view)> after_commit;
};

struct PrepareResult {
  DataSetInfo info;
  bool was_complete = false;  // The data set was there already, made by the same command.
  double check_seconds = 0;   // Of this run.
  double pieces_seconds = 0;
  double encoding_seconds = 0;
};

// Parallel text to a data set folder (see DataSet): checks the text, learns pieces from a sample,
// encodes on all threads, in memory that does not grow with the text. A run that was killed at any
// moment is continued by calling it again with the same options; the result has the same bytes,
// for any number of threads and interruptions. With other options or changed input files it
// throws an Error that names both values. Logs and shows progress.
PrepareResult prepare_corpus(const PrepareOptions& options);

}  // namespace eatt
