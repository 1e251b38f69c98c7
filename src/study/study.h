#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/cells.h"

// Runs studies: trains their cells as ordinary runs of `eatt train`, scores them, and writes the
// results beside the paper's. Everything is done by commands that a user could type; the folder
// records them.
namespace eatt::study {

// More alignments than these nobody would look at.
inline constexpr size_t kMostCaseSentences = 50;

// Training options by name, as training.toml has them.
using Settings = std::map<std::string, std::string>;

struct StudyOptions {
  std::vector<StudyKind> kinds;
  std::vector<std::string> cells;  // The names of those to train; empty: all of these studies.
  std::string recipe;
  std::vector<std::string> train_sets;     // Source and target text, or …
  std::filesystem::path prepared;          // … a data set.
  std::vector<std::string> valid_sets;     // Source and target: decides which checkpoint is best.
  std::vector<std::string> test_sets;      // Source and target; may be empty.
  std::vector<std::string> sentences;      // Source and target of the case study; empty: dev text.
  std::vector<std::string> train_options;  // Of all cells, after the recipe.
  int beam_size = 1;  // Of the scores at the end; validation during training is greedy.
  double length_penalty = 0;
  std::filesystem::path output;
  int seeds = 3;
  int jobs = 1;                  // Trainings at once.
  Settings settings;             // Of the recipe and train_options: see read_recipe().
  ModelSize size;                // Of the recipe's model, from the same.
  int threads = 1;               // Of all of them together.
  std::string eatt, eatt_train;  // The programs.
  std::string command;           // As it was typed.
  std::string version;           // Of this program, for the manifest.
};

// The folder of a study:
//   data/            what all cells are trained on, unless --prepared was given
//   cells/ID/        an ordinary run of `eatt train`
//   logs/ID.log      what its commands printed
//   scores/ID.*.json what `eatt validate` and `eatt energy model` say about its best model
//   case-source, case-target  the sentences of the case study, and alignments.json: their attention
//   study.json       the manifest: commands, data, machine, minutes
//   results.{md,json,csv}
struct StudyFolder {
  std::filesystem::path path;

  std::filesystem::path data() const { return path / "data"; }
  std::filesystem::path run_of(const std::string& id) const { return path / "cells" / id; }
  std::filesystem::path model_of(const std::string& id) const { return run_of(id) / "best"; }
  std::filesystem::path log_of(const std::string& id) const {
    return path / "logs" / (id + ".log");
  }
  std::filesystem::path score_of(const std::string& id, const std::string& what) const {
    return path / "scores" / (id + "." + what + ".json");
  }
  std::filesystem::path energy_text() const { return path / "energy-text"; }
  std::filesystem::path case_text(const std::string& side) const { return path / ("case-" + side); }
  std::filesystem::path alignments() const { return path / "alignments.json"; }
  std::filesystem::path manifest() const { return path / "study.json"; }
  std::filesystem::path results(const std::string& ending) const {
    return path / ("results." + ending);
  }
};

// A command of a cell.
struct Step {
  std::string name;                // "train", "dev", "test", "energy"
  std::vector<std::string> words;  // With the path of the program.
  std::filesystem::path result;    // Where standard output goes.
};

// The cells that these options train.
std::vector<Cell> chosen_cells(const StudyOptions& options);

// What one cell takes, in order.
std::vector<Step> steps_of(const Cell& cell, const StudyOptions& options, int threads);
// Whether a step has been done by this or an earlier run of the study.
bool is_done(const Step& step, const Cell& cell, const StudyOptions& options);
// Whether the file of a score is there and not older than the model.
bool has_score(const StudyFolder& folder, const std::string& id, const std::string& what);
// Whether a cell is trained and has all scores that a table needs; a test set is optional.
bool is_scored(const Cell& cell, const StudyOptions& options);
// The words as a user types them, with `eatt` for the path of either program.
std::string typed(std::vector<std::string> words);

// Unfinished cells are left by a command that was stopped; those that no command asked for are not
// chosen.
enum class CellState { waiting, running, done, failed, unfinished, not_chosen };

struct CellReport {
  Cell cell;
  CellState state = CellState::waiting;
  std::string step;  // While it runs: what it is doing.
  double share = 0;  // Of its training that is done.
  std::optional<double> seconds_left;
  std::optional<double> cross_entropy;  // Of the dev set, at the last validation.
  std::string error;                    // Of a failed one: the last line that it printed.
};

// Trains and scores what is missing. A cell that fails does not stop the others, except those that
// need it as their teacher. On Ctrl-C or SIGTERM the trainings save their work; throws a Stopped
// that says how to continue.
std::vector<CellReport> run_study(const StudyOptions& options);

// A training of a cell on the text itself, to be checked or timed: words for `eatt-train`. It has
// no teacher, which may not be trained yet.
std::vector<std::string> trial_of(const Cell& cell, const StudyOptions& options);
// The same of E-ATT as the recipe has it.
std::vector<std::string> first_training(const StudyOptions& options);

// What the study takes and the commands of all cells, a line each, without doing anything.
std::string describe_study(const StudyOptions& options);

// Fills in settings and size, asked of `eatt-train train --dump-config`.
void read_recipe(StudyOptions& options);

}  // namespace eatt::study
