#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "evaluation/metric.h"
#include "evaluation/tokenizers.h"

namespace eatt::evaluation {

// What to do about an order of n-grams without a match. Without smoothing it makes the score 0.
enum class Smoothing {
  none,
  floor,  // The value instead of a count of 0.
  add_k,  // The value added to every count and total of orders above 1.
  exp,    // 1/2, 1/4, 1/8, … instead of successive counts of 0, as in mteval-v13a.
};

std::string_view smoothing_name(Smoothing smoothing);

struct BleuOptions {
  Tokenizer tokenizer = Tokenizer::v13a;
  bool lowercase = false;
  Smoothing smoothing = Smoothing::exp;
  std::optional<double> smooth_value = {};  // For floor (else 0.1) and add_k (else 1).
  bool effective_order = false;  // Leave out orders longer than the text: for single sentences.
};

inline constexpr size_t kBleuOrder = 4;

struct BleuScore {
  double score = 0;  // 0 to 100.
  double brevity_penalty = 1;
  std::array<double, kBleuOrder> precisions{};  // In percent, smoothed.
  std::array<uint64_t, kBleuOrder> counts{};    // n-grams found in a reference, not smoothed …
  std::array<uint64_t, kBleuOrder> totals{};    // … out of this many.
  uint64_t hypothesis_length = 0;
  uint64_t reference_length = 0;

  double ratio() const;
  // 58.9/32.3/20.1/13.0 (BP = 1.000 ratio = 1.020 hyp_len = 62496 ref_len = 61287)
  std::string details() const;
};

// Statistics per line: hypothesis length, length of the closest reference (the shorter of two
// equally close), counts of four orders, totals of four orders.
class Bleu : public Metric {
 public:
  // Throws a UsageError if the smoothing value is negative or no number.
  explicit Bleu(const BleuOptions& options = {});

  std::string_view key() const override { return "bleu"; }
  std::string name() const override { return "BLEU"; }
  size_t width() const override { return 2 + 2 * kBleuOrder; }
  std::unique_ptr<LineScorer> make_line_scorer() const override;
  double score(std::span<const double> sums) const override { return evaluate(sums).score; }
  BleuScore evaluate(std::span<const double> sums) const;
  std::string signature(size_t references,
                        const std::optional<Resampling>& resampling = {}) const override;

 private:
  BleuOptions options_;
};

// The score of a whole text.
BleuScore corpus_bleu(Sentences hypotheses, std::span<const Sentences> references,
                      const BleuOptions& options = {});

}  // namespace eatt::evaluation
