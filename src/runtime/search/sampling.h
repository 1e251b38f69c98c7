#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/rows/logits.h"
#include "runtime/api/translator.h"

namespace eatt {

// Draws pieces instead of taking the best. Gains are divided by the temperature; of the top_k most
// probable the fewest stay whose probabilities reach top_p of their sum; one of them is drawn.
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
  void keep_top_k(std::span<float> probabilities);
  void keep_nucleus(std::span<float> probabilities);
  void take_best(std::span<const float> probabilities, size_t count);
  void take_all(std::span<const float> probabilities);
  size_t count_that_reaches(double sum);

  double temperature_;
  size_t top_k_;
  double top_p_;
  std::vector<kernels::TopValue> best_;  // The most probable, the last of them last.
};

// The number that decides a draw: it depends on nothing else.
double uniform_draw(uint64_t seed, uint64_t sentence, uint64_t hypothesis, uint64_t step);

}  // namespace eatt
