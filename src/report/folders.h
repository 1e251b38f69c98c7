#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chart/chart.h"
#include "study/tables.h"

// What is read of the folders that `eatt train`, `eatt study` and `eatt inspect` write.
namespace eatt::report {

// How strongly each target word attends to each source word: alignments.json.
struct Alignment {
  std::string model;
  std::string attention = {};  // "vanilla", "E-ATT, binary codes"; empty if the file is silent.
  std::vector<std::string> source, target;
  std::vector<std::vector<double>> weights;  // [target word][source word]
};
// {"sentences": [{"model": "eatt", "attention": "E-ATT, binary codes", "source": ["a", …],
//                 "target": […], "weights": [[0.9, …], …]}]}
// Throws an Error that names the place if the file has another form.
std::vector<Alignment> read_alignments(const std::filesystem::path& file);

enum class RunState { finished, stopped, unfinished };

// A run of `eatt train`.
struct TrainingRun {
  std::string name;  // Of its folder.
  std::filesystem::path path;
  std::vector<std::pair<std::string, std::string>> settings;  // Of training.toml, in its order.
  RunState state = RunState::unfinished;
  uint64_t update = 0;
  double seconds = 0;  // Of training.
  std::optional<uint64_t> parameters, threads, pairs;
  std::vector<std::pair<std::string, std::string>> data;  // Of run.json: texts and checksums.
  // By update.
  std::vector<chart::Point> loss, dev_cross_entropy, dev_bleu;
  // At the best validation.
  std::optional<uint64_t> best_update;
  std::optional<double> best_cross_entropy, best_bleu;

  std::string setting(std::string_view name) const;  // Empty if it is not known.
};

bool is_run(const std::filesystem::path& folder);
// Lines of the log that are no events are left out: after a power cut the last one may be cut off.
// Throws an Error if there is no event at all.
TrainingRun read_run(const std::filesystem::path& folder);

struct StudyCell {
  std::string id, title, state, error;
  uint64_t seed = 1;
  std::vector<std::string> commands;
  std::string weights_sha256, version, cpu;  // Of a cell that is done: what it was trained with.
  std::optional<TrainingRun> run;            // If its folder has one.
};

struct DataFile {
  std::string role, path, sha256;  // "training", "train.en", …
  uint64_t bytes = 0;
};

struct StudyRecord {
  std::string name;  // Of its folder.
  std::filesystem::path path;
  std::string command, date, version, cpu, instruction_set, recipe, train_options;
  uint64_t threads = 1, jobs = 1, seeds = 1;
  std::vector<std::string> studies;  // "ablation", …
  std::vector<DataFile> files;
  std::vector<StudyCell> cells;
  study::Results results;  // Empty before the first cells are done.

  size_t cells_in(std::string_view state) const;  // "done", "failed", "not chosen", …
  // The title of a cell by its name without the seed: "E-ATT (paper)".
  std::string title_of(const std::string& cell_name) const;
};

bool is_study(const std::filesystem::path& folder);
StudyRecord read_study(const std::filesystem::path& folder);

}  // namespace eatt::report
