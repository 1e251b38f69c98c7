#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/temporary_folder.h"
#include "study/child.h"
#include "study/manifest.h"
#include "study/study.h"
#include "text/corpus/line_reader.h"
#include "text/data/data_set_format.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;

constexpr size_t kEnergyLines = 100;
constexpr size_t kFirstSentences = 3;  // Of the dev set, for the case study.
constexpr size_t kLongestLine = 1 << 16;

// The options that all cells have, by name, as `--dump-config` prints them: "key = value  # help".
using Config = std::map<std::string, std::string>;

Config config_of(const StudyOptions& options) {
  std::vector<std::string> words = {options.eatt_train, "train", "--recipe", options.recipe};
  words.insert(words.end(), options.train_options.begin(), options.train_options.end());
  words.emplace_back("--dump-config");
  const TemporaryFolder folder("eatt-study");
  std::istringstream lines(output_of(words, folder.path()));
  Config config;
  std::string key, equals, value;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    if (parts >> key >> equals >> value && equals == "=") config[key] = value;
  }
  return config;
}

int number(const Config& config, const std::string& key) {
  const std::string& text = config.at(key);
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  expects(end.ec == std::errc(), "sizes are numbers");
  return value;
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

ModelSize size_of_recipe(const StudyOptions& options) {
  const Config config = config_of(options);
  return {.model_dim = number(config, "model-dim"),
          .ffn_dim = number(config, "ffn-dim"),
          .heads = number(config, "heads")};
}

void write_texts(const StudyOptions& options) {
  const StudyFolder folder{options.output};
  write_file_atomically(folder.energy_text(), first_lines(options.valid_sets[0], kEnergyLines));
  write_case_text(options);
}

void prepare_data(const StudyOptions& options) {
  // check_folder() has seen that a data set in the folder is of the same text.
  if (!options.prepared.empty() || fs::exists(StudyFolder{options.output}.data() / kDataSetFile))
    return;
  const Config config = config_of(options);
  const bool joint = config.at("joint-vocab") == "true";
  std::vector<std::string> words = {options.eatt, "corpus", "prepare", "--train-sets"};
  words.insert(words.end(), options.train_sets.begin(), options.train_sets.end());
  words.insert(words.end(), {"--vocab-size", std::to_string(number(config, "vocab-size")),
                             joint ? "--joint-vocab" : "--separate-vocab", "--output",
                             StudyFolder{options.output}.data().string(), "--cpu-threads",
                             std::to_string(options.threads)});
  spdlog::info("preparing the data that all cells share");
  output_of(words, options.output / "logs");
}

}  // namespace eatt::study
