#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/files/folder_lock.h"
#include "base/files/part_file.h"
#include "distillation/distill_plan.h"
#include "text/corpus/pair_problem.h"

namespace eatt {

// How far a distillation has come, over all runs of the program that it took.
struct DistillState {
  enum class Stage {
    translations,
    originals,  // Only with --keep-original.
    written,    // Nothing is left but to give the files their names.
  };
  Stage stage = Stage::translations;
  uint64_t pairs_read = 0;  // In this stage.
  uint64_t translations = 0;
  uint64_t originals = 0;
  uint64_t cut = 0;            // Hypotheses that the length limit cut, kept or not.
  uint64_t unusable = 0;       // Hypotheses that are empty or no text: never kept.
  uint64_t target_pieces = 0;  // Of the hypotheses chosen.
  double seconds = 0;          // Of translating.
  ProblemCounts left_out;      // Pairs that were not translated.

  uint64_t pairs() const { return translations + originals; }
};

// The output folder of a distillation, held by one process at a time. Both sides grow as
// train.XX.part beside distill.json, which tells what they are made from and how much of them
// counts; they get their names at the end, so that a file called train.XX is whole.
class DistillFolder {
 public:
  // Makes the folder if need be. Throws an Error if another process is at work in it, or if it
  // holds files of these names that no distillation made.
  DistillFolder(const std::filesystem::path& path, const SideNames& names);

  // Where a run of the same plan stopped, or the beginning. Another plan is an Error with both
  // values of what differs; if `overwrite`, what it made is removed.
  DistillState open(const PreparationPlan& plan, bool overwrite);

  // Between open() and publish(): lines of both sides, with their ends.
  void append(std::string_view source, std::string_view target);
  // What was appended so far survives whatever comes, and is what `state` tells.
  void save(const DistillState& state);
  // Gives the files their names. May be repeated after a run that was killed in it. Throws an Error
  // if a file is missing or changed since.
  void publish();

  const std::filesystem::path& source() const { return source_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  std::optional<DistillState> read_state(const PreparationPlan& plan, bool overwrite);
  void publish(const std::filesystem::path& file, uint64_t bytes) const;

  std::filesystem::path path_, source_, target_, state_file_;
  FolderLock lock_;
  PreparationPlan plan_;
  uint64_t source_bytes_ = 0, target_bytes_ = 0;  // As noted in the state.
  std::optional<PartFile> source_part_, target_part_;
};

}  // namespace eatt
