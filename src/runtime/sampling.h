#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/next_pieces.h"

namespace eatt {

// Draws pieces instead of taking the best. Gains are divided by the temperature; of the top_k best
// the fewest stay whose probabilities reach top_p; one of them is drawn by its probability.
class Sampler {
 public:
  explicit Sampler(const SearchOptions& options)
      : temperature_(options.temperature),
        top_k_(static_cast<size_t>(options.top_k)),
        top_p_(options.top_p) {}

  // `gains` [columns] as NextPieces gives them; they are overwritten. The column where `uniform`,
  // a number in [0, 1), falls; nothing if no piece may come.
  std::optional<size_t> draw(std::span<float> gains, double uniform);

 private:
  size_t draw_from_all(std::span<float> logits, double uniform);
  size_t draw_from_best(double uniform) const;
  void keep_top_k(std::span<const float> logits);
  void keep_nucleus(std::span<const float> logits);
  size_t take_best(std::span<const float> logits, size_t count);

  double temperature_;
  size_t top_k_;
  double top_p_;
  std::vector<kernels::TopValue> best_;  // What is drawn from, the best first.
};

// The number that decides a draw: it depends on nothing else.
double uniform_draw(uint64_t seed, uint64_t sentence, uint64_t hypothesis, uint64_t step);

}  // namespace eatt
