#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/temporary_folder.h"
#include "study/child.h"
#include "study/inputs.h"
#include "study/manifest.h"
#include "study/runs.h"
#include "study/study.h"
#include "text/corpus/line_reader.h"
#include "text/data/data_set.h"
#include "text/pieces/pieces.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;

constexpr size_t kEnergyLines = 100;
constexpr size_t kFirstSentences = 3;  // Of the dev set, for the case study.
constexpr size_t kLongestLine = 1 << 16;

int number(const Settings& settings, const std::string& key) {
  const std::string& text = settings.at(key);
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  expects(end.ec == std::errc(), "sizes are numbers");
  return value;
}

// "paper", "vanilla" and "eatt", whatever their places: which options a training takes depends on
// them, and on no width.
std::set<std::string> mechanisms_of(const Cell& cell) {
  std::set<std::string> names;
  for (const std::string& word : cell.options) {
    if (std::isalpha(static_cast<unsigned char>(word.front())) != 0) names.insert(word);
  }
  return names;
}

bool has_length_limit(const Cell& cell) {
  const auto names = mechanisms_of(cell);
  return names.contains("dense") || names.contains("randinit");
}

std::string first_lines(const std::string& file, size_t most) {
  LineReader reader(file, kLongestLine);
  std::string text;
  LineReader::Line line;
  for (size_t i = 0; i < most && reader.next(line); ++i) {
    text += line.text;
    text += '\n';
  }
  return text;
}

// The sentences whose alignments are shown. If they have changed, the old alignments are removed.
void write_case_text(const StudyOptions& options) {
  if (std::ranges::find(options.kinds, StudyKind::case_study) == options.kinds.end()) return;
  const StudyFolder folder{options.output};
  const bool given = !options.sentences.empty();
  bool changed = false;
  for (const size_t side : {0, 1}) {
    const fs::path path = folder.case_text(side == 0 ? "source" : "target");
    const std::string text = given ? first_lines(options.sentences[side], kMostCaseSentences)
                                   : first_lines(options.valid_sets[side], kFirstSentences);
    if (fs::exists(path) && read_file(path) == text) continue;
    write_file_atomically(path, text);
    changed = true;
  }
  if (changed) remove_scores(folder, ".case.json");
}

}  // namespace

void read_recipe(StudyOptions& options) {
  std::vector<std::string> words = {options.eatt_train, "train", "--recipe", options.recipe};
  words.insert(words.end(), options.train_options.begin(), options.train_options.end());
  words.emplace_back("--dump-config");
  const TemporaryFolder folder("eatt-study");
  std::istringstream lines(output_of(words, folder.path()));
  options.settings = read_settings(lines);
  options.size = {.model_dim = number(options.settings, "model-dim"),
                  .ffn_dim = number(options.settings, "ffn-dim"),
                  .heads = number(options.settings, "heads")};
}

void check_cells(const StudyOptions& options, const std::vector<Cell>& cells) {
  if (options.train_options.empty()) return;
  const TemporaryFolder folder("eatt-study");
  std::set<std::set<std::string>> checked;
  for (const Cell& cell : cells) {
    if (!checked.insert(mechanisms_of(cell)).second) continue;
    std::vector<std::string> words = trial_of(cell, options);
    words.insert(words.begin(), options.eatt_train);
    words.emplace_back("--check-only");
    try {
      output_of(words, folder.path());
    } catch (const Error& error) {
      throw UsageError(
          fmt::format("options after -- are for all cells, but {} does not take them: "
                      "{}",
                      cell.name, error.what()));
    }
  }
}

void write_texts(const StudyOptions& options) {
  const StudyFolder folder{options.output};
  write_file_atomically(folder.energy_text(), first_lines(options.valid_sets[0], kEnergyLines));
  write_case_text(options);
}

void prepare_data(const StudyOptions& options) {
  if (!options.prepared.empty()) return;
  const StudyFolder folder{options.output};
  if (fs::exists(folder.data() / kDataSetFile)) {
    // check_folder() has seen that cells are of the same text. Without cells it may be of another.
    if (!fs::is_empty(folder.path / "cells")) return;
    fs::remove_all(folder.data());
  }
  const bool joint = options.settings.at("joint-vocab") == "true";
  std::vector<std::string> words = {options.eatt, "corpus", "prepare", "--train-sets"};
  words.insert(words.end(), options.train_sets.begin(), options.train_sets.end());
  words.insert(words.end(),
               {"--vocab-size", std::to_string(number(options.settings, "vocab-size")),
                joint ? "--joint-vocab" : "--separate-vocab", "--output", folder.data().string(),
                "--cpu-threads", std::to_string(options.threads)});
  spdlog::info("preparing the data that all cells share");
  output_of(words, options.output / "logs");
}

void check_lengths(const StudyOptions& options, const std::vector<Cell>& cells) {
  const auto limited = std::ranges::find_if(cells, has_length_limit);
  if (limited == cells.end()) return;
  const DataSet data(options.prepared.empty() ? StudyFolder{options.output}.data()
                                              : options.prepared);
  const Pieces source(data.source_pieces_file()), target(data.target_pieces_file());
  const auto most = static_cast<size_t>(number(options.settings, "max-length"));
  for (const auto* sets : {&options.valid_sets, &options.test_sets}) {
    for (size_t side = 0; side < sets->size(); ++side) {
      LineReader reader((*sets)[side], kLongestLine);
      LineReader::Line line;
      for (size_t number = 1; reader.next(line); ++number) {
        const size_t found = (side == 0 ? source : target).encode(line.text).size();
        if (found <= most) continue;
        throw UsageError(
            fmt::format("{}, line {}: has {} pieces, and the attention of {} can read at most {} "
                        "(--max-length); shorten the sentence, or raise it after --",
                        (*sets)[side], number, found, limited->name, most));
      }
    }
  }
}

}  // namespace eatt::study
