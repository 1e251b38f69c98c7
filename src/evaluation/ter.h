#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluation/metric.h"

namespace eatt::evaluation {

struct TerOptions {
  bool normalized = false;      // Split off punctuation, as tercom -N; references twice, as
                                // sacreBLEU does.
  bool no_punctuation = false;  // Remove punctuation, as tercom -P.
  bool asian_support = false;   // The same for Asian punctuation; normalized: every Chinese
                                // character alone.
  bool case_sensitive = false;
};

// Appends the words of `line` as tercom would see them. They point into `line` or into `scratch`,
// which is overwritten.
void split_for_ter(const TerOptions& options, std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& words);

// Translation edit rate: insertions, deletions, replacements and moved blocks per reference word.
// Statistics per line: fewest edits over the references, mean length of the references.
class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}

  std::string_view key() const override { return "ter"; }
  std::string name() const override { return "TER"; }
  size_t width() const override { return 2; }
  std::unique_ptr<LineScorer> make_line_scorer() const override;
  double score(std::span<const double> sums) const override;
  std::string signature(size_t references,
                        const std::optional<Resampling>& resampling = {}) const override;

 private:
  TerOptions options_;
};

// The score of a whole text.
double corpus_ter(Sentences hypotheses, std::span<const Sentences> references,
                  const TerOptions& options = {});

}  // namespace eatt::evaluation
