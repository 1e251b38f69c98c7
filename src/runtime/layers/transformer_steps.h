#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  PartTimes* times = nullptr;            // Filled if set.
  CodeObserver* observer = nullptr;      // Told if set.
  energy::Activity* activity = nullptr;  // Added to if set.
  StepObserver* steps = nullptr;         // Told if set.
};

// A model with the memory to translate one batch at a time.
class TransformerSteps : public StepModel {
 public:
  // Throws an Error if the options name a layer or head that the model has not. The model must
  // outlive it.
  explicit TransformerSteps(const Model& model, const StepModelOptions& options = {});
  ~TransformerSteps() override;

  size_t vocab() const override { return model_.architecture.target_vocab; }
  void need(std::span<const std::vector<int32_t>> pieces) override;
  // Throws an Error if a sentence is longer than the model can read.
  void start(std::span<const std::vector<int32_t>> sources) override;
  StepScores step(std::span<const StepRow> rows) override;
  std::span<const float> attention(size_t row) const override;
  size_t max_target_pieces() const override;
  energy::Activity* activity() override { return activity_; }

 private:
  void want_attention(const StepModelOptions& options);
  const float* positions(size_t length);
  const Linear& output() const;
  const float* logits(const float* x, size_t rows);

  const Model& model_;
  energy::Activity* activity_;
  std::optional<ActivityRecorder> recorder_;  // Of the activity, if there is one.
  Scratch scratch_;
  DecoderState state_;
  std::vector<float> positions_;  // [.., model_dim], grown on demand
  Buffer<float> x_;               // [rows, model_dim]
  Buffer<float> logits_;          // [rows, columns]
  size_t wanted_layer_ = 0;
  int wanted_head_ = -1;
  bool wants_attention_ = false;
  std::vector<float> attention_;              // [rows, longest source]
  std::vector<int32_t> sentences_;            // Of the last step's rows.
  std::vector<std::vector<int32_t>> needed_;  // Of the next batch, by sentence.
  std::unique_ptr<OutputColumns> columns_;    // Null: the whole vocabulary.
};

}  // namespace eatt
