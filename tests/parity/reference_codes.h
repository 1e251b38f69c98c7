#pragma once

#include <optional>

#include "model/transformer.h"
#include "runtime/layers/observer.h"

namespace eatt::testing {

// Codes that libtorch made of one sentence and its given translation, beside those of the runtime.
class ReferenceCodes : public Observer {
 public:
  // Feeds them to the runtime, or only compares.
  enum class Use { feed, compare };
  ReferenceCodes(const ModelTrace& trace, Use use) : trace_(trace), use_(use) {}

  void codes(const CodeRows& codes) override;
  void next_step() { ++step_; }  // Of the decoder.

  // The distance from its threshold of the first code that differs, in the order in which the
  // runtime makes them.
  std::optional<double> first_difference() const { return first_; }
  void set_threshold(double threshold) { threshold_ = threshold; }

 private:
  torch::Tensor expected(const CodeRows& codes) const;  // [rows, dim]
  double distance(float x, size_t levels) const;        // From the nearest threshold.

  const ModelTrace& trace_;
  Use use_;
  int64_t step_ = 0;
  double threshold_ = 1;
  std::optional<double> first_;
};

}  // namespace eatt::testing
