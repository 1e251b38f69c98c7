#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/stop_signal.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/preparation_folder.h"
#include "text/corpus/prepare_corpus.h"
#include "text/pieces/pieces.h"

namespace eatt {

// What the steps of prepare_corpus() share: options whose inputs can be read more than once, and
// the folder. Each step finds what an earlier run did and continues from there.
struct Preparation {
  const PrepareOptions& options;
  const std::vector<PairInput>& inputs;
  const PreparationFolder& folder;
  const StopSignal& stop;

  void committed(std::string_view what) const {
    if (options.after_commit) options.after_commit(what);
  }
  // Throws Stopped after SIGTERM or Ctrl-C. What was committed is kept.
  void leave_if_stopped() const;
};

// Step 1. Reads everything once: line counts, bad lines, and how many pairs there are to choose the
// sample from. Throws an Error if the sides are unequal, if bad lines are to be refused, or if
// nothing is left.
struct CheckedCorpus {
  uint64_t pairs_read = 0;
  uint64_t pairs_usable = 0;
  ProblemCounts problems;
};
CheckedCorpus check_corpus(const Preparation& preparation);

// Step 2. The vocabularies, trained or given, as files in the unfinished folder.
struct Vocabularies {
  std::vector<std::string> files;  // joint.spm, or source.spm and target.spm.
  std::shared_ptr<const Pieces> source;
  std::shared_ptr<const Pieces> target;  // The same object when joint.
};
Vocabularies make_vocabularies(const Preparation& preparation, const CheckedCorpus& checked);

// Step 3. Encodes everything into the unfinished folder's .bin files and returns the
// content of dataset.json, without vocabularies and plan.
DataSetInfo encode_corpus(const Preparation& preparation, const CheckedCorpus& checked,
                          const Vocabularies& vocabularies);

// Kilobytes of all inputs together, for progress; at least 1.
uint64_t input_kilobytes(const std::vector<PairInput>& inputs);

}  // namespace eatt
