#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/layers/decoder_state.h"
#include "runtime/layers/model.h"
#include "runtime/layers/scratch.h"
#include "runtime/search/step_model.h"

namespace eatt {

class OutputColumns;
class Shortlist;

struct StepModelOptions {
  bool wants_attention = false;
  int alignment_layer = 0;               // Whose attention: from 1; 0 is the last.
  int alignment_head = 0;                // From 1; 0 is the mean of all.
  const Shortlist* shortlist = nullptr;  // Null: the whole vocabulary.
  Observer* observer = nullptr;          // Null: none.
  // Called before a batch is encoded and before each step; may throw. Empty: nothing.
  std::function<void()> before_step = {};
};

// A model with the memory to translate one batch at a time.
class TransformerSteps : public StepModel {
 public:
  // Throws an Error if the options name a layer or head that the model does not have. The model
  // must outlive it.
  explicit TransformerSteps(const Model& model, const StepModelOptions& options = {});
  ~TransformerSteps() override;

  size_t vocab() const override { return model_.architecture.target_vocab; }
  void require_pieces(std::span<const std::vector<int32_t>> pieces) override;
  // Throws an Error if a sentence is longer than the model can read.
  void start(std::span<const std::vector<int32_t>> sources) override;
  StepScores step(std::span<const StepRow> rows) override;
  std::span<const float> attention(size_t row) const override;
  size_t max_target_pieces() const override;
  Observer* observer() const override { return scratch_.observer; }

 private:
  void want_attention(const StepModelOptions& options);
  const float* positions(size_t length);
  const Linear& output() const;
  const float* logits(const float* x, size_t rows);

  const Model& model_;
  std::function<void()> before_step_;
  Scratch scratch_;
  DecoderState state_;
  std::vector<float> positions_;  // [.., model_dim], grown on demand
  Buffer<float> x_;               // [rows, model_dim]
  Buffer<float> logits_;          // [rows, columns]
  size_t wanted_layer_ = 0;
  int wanted_head_ = -1;
  bool wants_attention_ = false;
  std::vector<float> attention_;                // [rows, longest source]
  std::vector<int32_t> sentences_;              // Of the last step's rows.
  std::vector<std::vector<int32_t>> required_;  // Of the next batch, by sentence.
  std::unique_ptr<OutputColumns> columns_;      // Null: the whole vocabulary.
};

}  // namespace eatt
