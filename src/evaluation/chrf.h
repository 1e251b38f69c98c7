#pragma once

#include "evaluation/metric.h"

namespace eatt::evaluation {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2 makes it chrF++.
  int beta = 2;        // Recall counts this many times as much as precision.
  bool lowercase = false;
  bool whitespace = false;     // Let n-grams of characters contain spaces.
  bool eps_smoothing = false;  // As chrF++.py does, instead of leaving out empty orders.
};

// Statistics per line: for each order of characters, then of words: n-grams of the hypothesis, of
// the reference, and in common. With several references the one with the best F score counts.
class Chrf : public Metric {
 public:
  // Throws a UsageError if an order or beta is out of range.
  explicit Chrf(const ChrfOptions& options = {});

  std::string_view key() const override { return "chrf"; }
  std::string name() const override;
  size_t width() const override;
  std::unique_ptr<LineScorer> make_line_scorer() const override;
  double score(std::span<const double> sums) const override;
  std::string signature(size_t references,
                        const std::optional<Resampling>& resampling = {}) const override;

 private:
  ChrfOptions options_;
};

// The score of a whole text.
double corpus_chrf(Sentences hypotheses, std::span<const Sentences> references,
                   const ChrfOptions& options = {});

}  // namespace eatt::evaluation
