#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace eatt {

// What the time of a translation goes to.
enum class Part {
  embedding,
  norm,       // Layer norms and residuals.
  query_key,  // Projections or selections of queries and keys, caching included.
  scores,
  context,          // Softmax and weighted values.
  fused_attention,  // Scores and context of the encoder, which one kernel computes.
  value,            // Projections of values.
  output,           // Projections of attention's results.
  feed_forward,
  vocabulary,
};
inline constexpr std::array<std::string_view, 10> kPartNames = {
    "embedding",       "norm",  "query/key", "scores",       "context",
    "fused-attention", "value", "output",    "feed-forward", "vocabulary"};

struct PartTimes {
  std::array<double, kPartNames.size()> seconds = {};

  double& operator[](Part part) { return seconds[static_cast<size_t>(part)]; }
};

// Adds the time of its life to a part; without times it costs a comparison.
class TimedPart {
 public:
  using Clock = std::chrono::steady_clock;

  TimedPart(PartTimes* times, Part part) : times_(times), part_(part) {
    if (times_ != nullptr) start_ = Clock::now();
  }
  // A product of several parts' columns: `share` of the time goes to `part`, the rest to `other`.
  TimedPart(PartTimes* times, Part part, double share, Part other) : TimedPart(times, part) {
    share_ = share;
    other_ = other;
  }
  ~TimedPart() {
    if (times_ == nullptr) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    (*times_)[part_] += share_ * seconds;
    (*times_)[other_] += (1 - share_) * seconds;
  }
  TimedPart(const TimedPart&) = delete;
  TimedPart& operator=(const TimedPart&) = delete;

 private:
  PartTimes* times_;
  Part part_;
  Part other_ = Part::norm;
  double share_ = 1;
  Clock::time_point start_;
};

}  // namespace eatt
