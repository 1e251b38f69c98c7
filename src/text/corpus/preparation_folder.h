#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/open_file.h"
#include "base/files/text_file.h"
#include "base/stop_signal.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/prepare_corpus.h"
#include "text/pieces/pieces.h"

namespace eatt {

// True for standard input, pipes and other files that can be read only once.
bool is_read_once(const TextFile& file);
bool has_file_read_once(const PairInput& input);

// A copy of such a file that can be read many times. It is stored in `folder` without a name, so
// the kernel frees it when the program ends, however it ends.
class Spool {
 public:
  Spool(const TextFile& file, const std::filesystem::path& folder);

  // Can be read like any other file; messages show the original's name.
  const TextFile& copy() const { return copy_; }

 private:
  FileWriter file_;
  TextFile copy_;
};

// Everything that the bytes of a data set depend on, in words: {"--vocab-size", "8000"}, {"input
// 1", "train.en, 1801238 bytes, modified 2026-01-02 03:04:05.678"}, … Two runs with the same plan
// make the same data set; the number of threads is not in it.
using PreparationPlan = std::vector<std::pair<std::string, std::string>>;

PreparationPlan make_plan(const PrepareOptions& options);

// Throws an Error with both values of the first thing that differs. `folder` is where `before` was
// found, for the message.
void expect_same_plan(const PreparationPlan& before, const PreparationPlan& now,
                      std::string_view folder);

std::string plan_to_json(const PreparationPlan& plan);
PreparationPlan plan_from_json(std::string_view json, const std::string& name);

// The output folder of a preparation, held by one process at a time. Everything is made in its
// subfolder `unfinished` and moved up at the end, dataset.json last: a folder with a dataset.json
// is complete.
class PreparationFolder {
 public:
  // Creates the folder if it is missing. Throws an Error if another process is using it.
  explicit PreparationFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path unfinished(std::string_view name) const;

  bool is_complete() const;
  // The plan of the run that was interrupted here, if there was one and it can be continued.
  std::optional<PreparationPlan> interrupted_plan() const;
  // Whether that run got as far as a vocabulary, so that starting again would lose work.
  bool has_work_done() const;
  // Starts a new run and removes what an interrupted one left. A finished data set stays until
  // publish().
  void begin(const PreparationPlan& plan) const;

  // Moves files from the subfolder up, in place of an older data set's. dataset.json comes last.
  // Calls after_each(name). May be repeated after a run that was killed in it.
  void publish(const std::vector<std::string>& files,
               const std::function<void(std::string_view)>& after_each) const;
  // Removes the subfolder at the end.
  void remove_unfinished() const;
  // After a failure: unless work was done that the next run can use, leaves nothing of this one.
  void remove_failed_start() const;

 private:
  std::filesystem::path path_;
  MissingFolders made_;
  FolderLock lock_;
};

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
  ProblemCounts problems;  // But for duplicates.
  PairMarks duplicates;    // The pairs to leave out as such; none unless that is asked for.
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
