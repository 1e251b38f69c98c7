#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/open_file.h"
#include "evaluation/tokenizers.h"
#include "runtime/api/translator.h"
#include "text/corpus/pair_problem.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/preparation_folder.h"

namespace eatt {

// Which of a teacher's hypotheses the student learns from.
enum class HypothesisChoice {
  best,       // The one with the best score.
  reference,  // The one of the n-best list closest to the given translation, by sentence BLEU.
};

// The options of `eatt distill`.
struct DistillOptions {
  std::vector<std::string> teachers;  // Several are an ensemble.
  std::vector<double> weights;
  std::vector<PairInput> inputs;
  std::filesystem::path output;
  SearchOptions search = {.beam_size = 4, .length_penalty = 0.6};
  TranslatorOptions translator;
  HypothesisChoice choice = HypothesisChoice::best;
  evaluation::Tokenizer tokenizer = evaluation::Tokenizer::v13a;  // Of BLEU.
  bool keep_original = false;  // Append the original pairs after the translations.
  bool drop_cut = false;       // Leave out hypotheses that the length limit cut off.
  bool overwrite = false;      // Replace what another command left in `output`.
};

// The file names of the two sides of the distilled text: "train.zh" and "train.en".
struct SideNames {
  std::string source;
  std::string target;
};

// Named after the teacher's languages if it knows them, else after the extensions of the text files
// (without .gz), else "train.source" and "train.target".
SideNames name_sides(const DistillOptions& options);

// Everything that the distilled text depends on. Text, teachers and shortlist are represented by
// their SHA-256, wherever they are. Threads and batches change nothing and are left out.
PreparationPlan make_distill_plan(const DistillOptions& options, const SideNames& names);

// For each translation, the hypothesis that the student learns from; null if --drop-cut leaves
// none. `references` has a line per translation and is used only if the choice depends on it. Of
// equally close hypotheses, the one with the better score is taken.
std::vector<const Hypothesis*> choose_hypotheses(std::span<const Translation> translations,
                                                 std::span<const std::string_view> references,
                                                 const DistillOptions& options);

// The progress of a distillation, over all runs of the program.
struct DistillState {
  enum class Stage {
    translations,
    originals,  // Only with --keep-original.
    written,    // All is written; the files only need their final names.
  };
  Stage stage = Stage::translations;
  uint64_t pairs_read = 0;  // In this stage.
  uint64_t translations = 0;
  uint64_t originals = 0;
  uint64_t cut = 0;            // Hypotheses that the length limit cut off, kept or not.
  uint64_t unusable = 0;       // Hypotheses that are empty or not valid text: never kept.
  uint64_t target_pieces = 0;  // In the chosen hypotheses.
  double seconds = 0;          // Spent translating.
  ProblemCounts left_out;      // Pairs that were not translated.

  uint64_t pairs() const { return translations + originals; }
};

// The output folder of a distillation, locked by one process at a time. Both sides are written to
// train.XX.part beside distill.json, which records what they are made from and how many bytes are
// valid. They are renamed at the end, so a file called train.XX is complete.
class DistillFolder {
 public:
  // Creates the folder if it is missing. Throws an Error if another process is using it, or if it
  // has files of these names that were not made by a distillation.
  DistillFolder(const std::filesystem::path& path, const SideNames& names);

  // Where a run with the same plan stopped, or the beginning. If the plan differs, throws an Error
  // with both values, or with `overwrite` removes what the other run made.
  DistillState open(const PreparationPlan& plan, bool overwrite);

  // Between open() and publish(): appends lines to both sides, line ends included.
  void append(std::string_view source, std::string_view target);
  // Makes everything appended so far durable, and records `state` with it.
  void save(const DistillState& state);
  // Gives the files their final names. May be repeated if a run was killed while doing so. Throws
  // an Error if a file is missing or has changed.
  void publish();
  // Whether no pair has been recorded yet.
  bool has_nothing() const { return source_bytes_ == 0; }
  // Removes what this distillation has made: nothing came of it.
  void discard();

  const std::filesystem::path& source() const { return source_; }
  const std::filesystem::path& target() const { return target_; }

 private:
  std::optional<DistillState> read_state(const PreparationPlan& plan, bool overwrite);
  void publish(const std::filesystem::path& file, uint64_t bytes) const;

  std::filesystem::path path_, source_, target_, state_file_;
  FolderLock lock_;
  PreparationPlan plan_;
  uint64_t source_bytes_ = 0, target_bytes_ = 0;  // As recorded in distill.json.
  std::optional<PartFile> source_part_, target_part_;
};

struct DistillResult {
  std::filesystem::path source;  // Parallel text, for `eatt train --train-sets`.
  std::filesystem::path target;
  DistillState state;
  bool was_complete = false;  // An earlier run of the same command had finished; nothing was done.
};

// Replaces the target side of parallel text by the teachers' translations (sequence-level
// distillation). Continues where a run with the same options stopped; the result has the same
// bytes. On SIGTERM or Ctrl-C it saves its work and throws an Error.
DistillResult distill_text(const DistillOptions& options);

}  // namespace eatt
