#include <fmt/format.h>

#include <algorithm>

#include "study/child.h"
#include "study/runs.h"
#include "study/study.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void append(Words& to, const Words& words) { to.insert(to.end(), words.begin(), words.end()); }

// The options without those of the vocabulary, which the shared data set decides.
Words without_vocabulary(const Words& options) {
  Words kept;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& word = options[i];
    const std::string name = word.substr(0, word.find('='));
    if (name != "--vocab-size" && name != "--joint-vocab") {
      kept.push_back(word);
    } else if (name == word && i + 1 < options.size() && !options[i + 1].starts_with('-')) {
      ++i;  // Its value.
    }
  }
  return kept;
}

Words train_words(const Cell& cell, const StudyOptions& options, int threads) {
  const StudyFolder folder{options.output};
  Words words = {options.eatt_train, "train", "--recipe", options.recipe};
  append(words, without_vocabulary(options.train_options));
  append(words, cell.options);
  append(words, {"--seed", std::to_string(cell.seed)});
  if (!cell.teacher.empty()) {
    append(words, {"--teacher", folder.model_of(cell.teacher).string()});
    append(words, cell.teacher_options);
  }
  append(words,
         {"--prepared", (options.prepared.empty() ? folder.data() : options.prepared).string(),
          "--valid-sets", options.valid_sets[0], options.valid_sets[1], "--model",
          folder.run_of(cell.id()).string(), "--cpu-threads", std::to_string(threads)});
  return words;
}

// The search of the scores, as options; none for greedy search.
Words search_words(const StudyOptions& options) {
  Words words;
  if (options.beam_size > 1) append(words, {"--beam-size", std::to_string(options.beam_size)});
  if (options.length_penalty > 0)
    append(words, {"--length-penalty", fmt::format("{}", options.length_penalty)});
  return words;
}

Step validation(const std::string& name, const Cell& cell, const StudyOptions& options,
                const std::vector<std::string>& sets, int threads) {
  const StudyFolder folder{options.output};
  Words words = {options.eatt_train, "validate", folder.model_of(cell.id()).string(),
                 "--valid-sets",     sets[0],    sets[1]};
  append(words, search_words(options));
  append(words, {"--json", "--cpu-threads", std::to_string(threads)});
  return {name, words, folder.score_of(cell.id(), name)};
}

// The case study needs the attention of its own cells, and of the distilled one if there is one.
bool is_in_case_study(const Cell& cell, const StudyOptions& options) {
  if (std::ranges::find(options.kinds, StudyKind::case_study) == options.kinds.end()) return false;
  auto cells = cells_of(StudyKind::case_study, 1, options.size);
  cells.push_back({.name = kBestDistilled, .title = {}, .options = {}});
  return std::ranges::find(cells, cell.id(), &Cell::id) != cells.end();
}

Step case_study(const Cell& cell, const StudyOptions& options, int threads) {
  const StudyFolder folder{options.output};
  return {"case",
          {options.eatt, "--quiet", "inspect", folder.model_of(cell.id()).string(), "--sets",
           folder.case_text("source").string(), folder.case_text("target").string(), "--alignments",
           folder.score_of(cell.id(), "alignments").string(), "--json", "--cpu-threads",
           std::to_string(threads)},
          folder.score_of(cell.id(), "case")};
}

bool is_newer(const fs::path& file, const fs::path& than) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return false;
  const auto limit = fs::last_write_time(than, error);
  return !error && time >= limit;
}

}  // namespace

std::vector<Cell> chosen_cells(const StudyOptions& options) {
  return cells_named(cells_of(options.kinds, options.seeds, options.size), options.cells);
}

std::vector<Step> steps_of(const Cell& cell, const StudyOptions& options, int threads) {
  const StudyFolder folder{options.output};
  std::vector<Step> steps = {
      {"train", train_words(cell, options, threads), folder.score_of(cell.id(), "train")},
      validation("dev", cell, options, options.valid_sets, threads)};
  if (!options.test_sets.empty()) {
    steps.push_back(validation("test", cell, options, options.test_sets, threads));
  }
  steps.push_back(
      {"energy",
       {options.eatt, "--quiet", "energy", "model", folder.model_of(cell.id()).string(), "-i",
        folder.energy_text().string(), "--json", "--cpu-threads", std::to_string(threads)},
       folder.score_of(cell.id(), "energy")});
  if (is_in_case_study(cell, options)) steps.push_back(case_study(cell, options, threads));
  return steps;
}

bool is_done(const Step& step, const Cell& cell, const StudyOptions& options) {
  const StudyFolder folder{options.output};
  if (step.name == "train") return end_of(folder.run_of(cell.id())).finished;
  return is_newer(step.result, folder.model_of(cell.id()) / "config.json");
}

bool has_score(const StudyFolder& folder, const std::string& id, const std::string& what) {
  return is_newer(folder.score_of(id, what), folder.model_of(id) / "config.json");
}

bool is_scored(const Cell& cell, const StudyOptions& options) {
  const StudyFolder folder{options.output};
  const std::string id = cell.id();
  return end_of(folder.run_of(id)).finished && has_score(folder, id, "dev") &&
         has_score(folder, id, "energy");
}

std::string typed(Words words) {
  words.front() = "eatt";
  return shell_command(words);
}

Words trial_of(const Cell& cell, const StudyOptions& options) {
  Words words = {"train", "--recipe", options.recipe};
  append(words, options.train_options);
  append(words, cell.options);
  if (options.prepared.empty()) {
    append(words, {"--train-sets"});
    append(words, options.train_sets);
  } else {
    append(words, {"--prepared", options.prepared.string()});
  }
  append(words, {"--valid-sets", options.valid_sets[0], options.valid_sets[1], "--model",
                 (options.output / "cells" / "check").string()});
  return words;
}

Words first_training(const StudyOptions& options) {
  return trial_of({.name = {}, .title = {}, .options = {"--attention", "eatt"}}, options);
}

}  // namespace eatt::study
