#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace eatt::study {

// Joules of a sentence as a share of what vanilla attention takes for the same translation: 1 for
// vanilla itself.
struct EnergyShares {
  double alignment_paper = 1;  // The paper's accounting.
  double attention_paper = 1;
  double block_paper = 1;
  double alignment_exact = 1;  // Every operation counted.
  double attention_exact = 1;
  double block_exact = 1;
  double model_exact = 1;
};

// Microjoules of a sentence on the ASIC.
struct Microjoules {
  double attention_paper = 0;
  double attention_exact = 0;
  double model_exact = 0;
};

// Rows added per feature by layer; empty where a role has no codes.
struct DensityRows {
  std::vector<double> encoder_self, decoder_self, cross_query;
  std::optional<double> cross_key;
  bool any() const {
    return !encoder_self.empty() || !decoder_self.empty() || !cross_query.empty();
  }
};

// How much each target word of a sentence looks at each source word.
struct SentenceAlignment {
  std::vector<std::string> source, target;
  std::vector<std::vector<double>> weights;  // A row for each target word.
};

// What is known about a finished cell.
struct CellScores {
  std::string name;
  int seed = 1;
  double dev_bleu = 0;
  double dev_cross_entropy = 0;
  std::optional<double> test_bleu;
  EnergyShares energy;  // On the ASIC.
  EnergyShares fpga;
  Microjoules microjoules;
  DensityRows densities;
  std::vector<SentenceAlignment> alignments;  // Of the case study.
};

// Reads the scores of the cells that are done. Throws an Error if a file is damaged.
std::vector<CellScores> read_scores(const StudyOptions& options,
                                    const std::vector<CellReport>& reports);

// Mean and sample standard deviation; the deviation is 0 for one value.
struct Mean {
  double mean = 0;
  double deviation = 0;
  size_t count = 0;
};
Mean mean_of(const std::vector<double>& values);

}  // namespace eatt::study
