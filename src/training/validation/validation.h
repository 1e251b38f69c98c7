#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/tokenizers.h"
#include "model/transformer.h"
#include "text/pieces/pieces.h"
#include "training/options/training_options.h"
#include "training/update/batch_tensors.h"
#include "training/validation/density.h"

namespace eatt {

struct ValidationScores {
  double cross_entropy = 0;  // Nats per piece, end markers included, no smoothing.
  double perplexity = 0;
  std::optional<double> bleu, chrf;  // Absent if nothing was translated.
  std::string bleu_signature;
  std::vector<std::string> translations;  // Empty as well then.
  Densities densities;
  double seconds = 0;

  // The score that a metric decides by.
  double value(ValidMetric metric) const;
};

// A dev or test set: text, its pieces, and how a model does on it.
class ValidationSet {
 public:
  // Throws an Error if a file is missing or empty, or if the numbers of lines differ.
  ValidationSet(const std::filesystem::path& source, const std::filesystem::path& target,
                const Pieces& source_pieces, const Pieces& target_pieces);

  size_t size() const { return pairs_.size(); }
  const std::vector<PiecePair>& pairs() const { return pairs_; }
  const std::vector<std::string>& sources() const { return sources_; }
  // Pieces of the longest sentence of either side, markers not counted.
  int64_t longest() const;

  // Loss and densities; with `translate` also translations by greedy search of the runtime, and
  // their scores. The model is in eval mode afterwards only if it was before.
  ValidationScores score(Transformer& model, bool translate, evaluation::Tokenizer tokenizer) const;

 private:
  std::vector<std::string> translate(Transformer& model) const;
  void add_losses(Transformer& model, ValidationScores& scores) const;

  std::vector<std::string> sources_, targets_;
  std::vector<PiecePair> pairs_;
  const Pieces &source_pieces_, &target_pieces_;
};

}  // namespace eatt
