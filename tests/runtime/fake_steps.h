#pragma once

#include <algorithm>
#include <map>
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
  void add(std::span<const NewSentence> sentences) override {
    for (const NewSentence& added : sentences) {
      auto& source = sources_[added.sentence];
      source.assign(added.source.begin(), added.source.end());
      if (reverses_) std::ranges::reverse(source);
    }
  }
  void remove(int32_t sentence) override { sources_.erase(sentence); }
  void clear() override { sources_.clear(); }
  StepScores step(std::span<const StepRow> rows) override {
    logits_.assign(rows.size() * vocab_, 0.0f);
    attention_.clear();
    std::vector<size_t> positions;
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto& source = sources_.at(rows[row].sentence);
      const int32_t parent = rows[row].parent;
      const size_t position = parent < 0 ? 0 : positions_.at(static_cast<size_t>(parent)) + 1;
      positions.push_back(position);
      const bool ends = position >= source.size();
      const auto next = static_cast<size_t>(ends ? kEndPiece : source[position]);
      logits_[row * vocab_ + next] = 10;
      logits_[row * vocab_ + vocab_ - 1] += 2;
      std::vector<float> weights(source.size() + 1);
      const size_t seen = reverses_ ? source.size() - 1 - position : position;
      weights[ends ? source.size() : seen] = 1;
      attention_.push_back(weights);
    }
    positions_ = std::move(positions);
    return {logits_.data(), vocab_, {}};
  }
  std::span<const float> attention(size_t row) const override {
    if (!gives_attention_) return {};
    return attention_[row];
  }
  size_t max_target_pieces() const override { return 100'000; }

 private:
  size_t vocab_;
  bool reverses_, gives_attention_;
  std::map<int32_t, std::vector<int32_t>> sources_;
  std::vector<size_t> positions_;  // Of the last step's rows.
  std::vector<float> logits_;
  std::vector<std::vector<float>> attention_;
};

}  // namespace eatt::testing
