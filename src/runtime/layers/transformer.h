#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/layers/best_columns.h"
#include "runtime/layers/layer.h"
#include "runtime/layers/memory.h"
#include "runtime/layers/model.h"
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
  // Called before sentences are encoded and before each step; may throw. Empty: nothing.
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
  // Throws an Error if a sentence is longer than the model can read.
  void add(std::span<const NewSentence> sentences) override;
  void remove(int32_t sentence) override;
  void clear() override;
  StepScores step(std::span<const StepRow> rows) override;
  StepScores step_best(std::span<const StepRow> rows, const BestWanted& wanted) override;
  std::span<const float> attention(size_t row) const override;
  size_t max_target_pieces() const override;
  Observer* observer() const override { return scratch_.observer; }

 private:
  void want_attention(const StepModelOptions& options);
  const float* positions(size_t length);
  const Linear& output() const;
  const float* decode(std::span<const StepRow> rows);
  LinearInput output_input(const float* x, size_t rows);
  const float* logits(const float* x, size_t rows);

  const Model& model_;
  std::function<void()> before_step_;
  Scratch scratch_;
  DecoderState state_;
  std::vector<float> positions_;  // [.., model_dim], grown on demand
  Buffer<float> x_;               // [rows, model_dim]
  Buffer<float> logits_;          // [rows, columns]
  BestColumns best_columns_;      // Where not all logits are needed.
  size_t wanted_layer_ = 0;
  int wanted_head_ = -1;
  bool wants_attention_ = false;
  std::vector<float> attention_;            // [rows, longest source of a row]
  size_t attention_stride_ = 0;             // The longest source.
  std::vector<int32_t> sentences_;          // Of the last step's rows.
  std::unique_ptr<OutputColumns> columns_;  // Null: the whole vocabulary.
};

// Sentences through the whole model.

// x [rows, model_dim]: what the decoder reads. positions [longest, model_dim].
void encode(const Model& model, const SourceRows& source, const float* positions, float* x,
            Scratch& scratch);

// Keys and values of every cross-attention, from the encoder's output [rows, model_dim], each to a
// slot of the state: once for a sentence.
void remember_source(const Model& model, const float* encoded, std::span<const uint32_t> slots,
                     DecoderState& state, Scratch& scratch);

// One position further for every row: x [rows, model_dim] is what the output layer reads.
// positions [longest history, model_dim].
void decode_step(const Model& model, const DecoderStep& step, const float* positions, float* x,
                 Scratch& scratch);

// Sinusoidal positions [length, model_dim]: with h = model_dim/2, sin(p·f_i) at i and cos(p·f_i) at
// h+i, for i = 0 … h−1 and f_i = 10000^(−i/(h−1)).
std::vector<float> sinusoidal_rows(size_t length, size_t model_dim);

}  // namespace eatt
