#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "runtime/search/step_model.h"
#include "text/pieces/pieces.h"

namespace eatt::testing {

// A model that says the source again, piece by piece or backwards, and looks at the piece it says.
// Something else is a bit likely too, so that a beam has what to compare.
class FakeSteps : public StepModel {
 public:
  explicit FakeSteps(size_t vocab, bool reverses = false, bool gives_attention = true)
      : vocab_(vocab), reverses_(reverses), gives_attention_(gives_attention) {}

  size_t vocab() const override { return vocab_; }
  void start(std::span<const std::vector<int32_t>> sources) override {
    ++starts;
    sources_.assign(sources.begin(), sources.end());
    for (auto& source : sources_) {
      if (reverses_) std::ranges::reverse(source);
    }
    position_ = 0;
  }
  StepScores step(std::span<const StepRow> rows) override {
    logits_.assign(rows.size() * vocab_, 0.0f);
    attention_.clear();
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto& source = sources_[static_cast<size_t>(rows[row].sentence)];
      const bool ends = position_ >= source.size();
      const auto next = static_cast<size_t>(ends ? kEndPiece : source[position_]);
      logits_[row * vocab_ + next] = 10;
      logits_[row * vocab_ + vocab_ - 1] += 2;
      std::vector<float> weights(source.size() + 1);
      const size_t seen = reverses_ ? source.size() - 1 - position_ : position_;
      weights[ends ? source.size() : seen] = 1;
      attention_.push_back(weights);
    }
    ++position_;
    return {logits_.data(), vocab_, {}};
  }
  std::span<const float> attention(size_t row) const override {
    if (!gives_attention_) return {};
    return attention_[row];
  }
  size_t max_target_pieces() const override { return 100'000; }

  int starts = 0;

 private:
  size_t vocab_;
  bool reverses_, gives_attention_;
  std::vector<std::vector<int32_t>> sources_;
  size_t position_ = 0;
  std::vector<float> logits_;
  std::vector<std::vector<float>> attention_;
};

}  // namespace eatt::testing
