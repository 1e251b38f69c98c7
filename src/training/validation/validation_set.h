#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "text/pieces/pieces.h"
#include "training/update/batches.h"
#include "training/validation/validation.h"

namespace eatt {

// Counts the ones in a model's codes over any number of batches, without padding.
class DensityCounter {
 public:
  void add(const ModelTrace& trace, const TokenBatch& source, const TokenBatch& target);
  // Adds the counts of another counter for the same model.
  void add(const DensityCounter& other);
  Densities densities() const;
  // Calls `use` for each count of a model of this architecture, in a fixed order.
  void each_count(const Architecture& architecture, const std::function<void(double&)>& use);

 private:
  struct Count {
    double ones = 0;
    double all = 0;
    double share() const { return all > 0 ? ones / all : -1; }
    void operator+=(const Count& other) {
      ones += other.ones;
      all += other.all;
    }
  };
  static void add(const torch::Tensor& codes, const torch::Tensor& exists, Count& count);

  std::vector<Count> encoder_self_, decoder_self_, cross_query_;
  Count cross_key_;
};

// A dev or test set: text and its pieces.
class ValidationSet {
 public:
  // Throws an Error if a file is missing or empty, or if the numbers of lines differ.
  ValidationSet(const TextPair& text, const Pieces& source_pieces, const Pieces& target_pieces);

  size_t size() const { return pairs_.size(); }
  const std::vector<PiecePair>& pairs() const { return pairs_; }
  const std::vector<std::string>& sources() const { return sources_; }
  const std::vector<std::string>& targets() const { return targets_; }
  // Pieces of the longest sentence of either side, markers not counted.
  size_t longest() const;

  // Loss and densities; with `scoring` also translations by the runtime, and their scores. The
  // model is in eval mode afterwards only if it was before.
  ValidationScores score(Transformer& model, const std::optional<Scoring>& scoring) const;

 private:
  std::vector<std::string> translate(Transformer& model, const SearchOptions& search) const;
  void add_losses(Transformer& model, ValidationScores& scores) const;

  std::vector<std::string> sources_, targets_;
  std::vector<PiecePair> pairs_;
  const Pieces &source_pieces_, &target_pieces_;
};

}  // namespace eatt
