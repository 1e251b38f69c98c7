#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/attention/rows.h"
#include "runtime/layers/memory.h"
#include "runtime/layers/model.h"
#include "runtime/search/step_model.h"

// The layers of encoder and decoder, as the paper describes them. All work in place on
// x [rows, model_dim] without gaps.
namespace eatt {

void encoder_layer(const Model& model, const EncoderLayerWeights& layer,
                   const SourceRows& sentences, float* x, Scratch& scratch);

// What the decoder keeps of a batch of sentences: keys and values of the source, made once, and
// those of the pieces so far. A position of a hypothesis is a slot, the same in all layers.
// Hypotheses that share their beginning share its slots, and reordering a beam moves slot numbers
// only. Slots that no hypothesis uses any more are used again.
class DecoderState {
 public:
  explicit DecoderState(const Model& model);

  // Starts a batch and forgets the one before.
  void start(SourceRows source);

  // Gives each row the history of its parent and a slot for its new position.
  void advance(std::span<const StepRow> rows);

  const SourceRows& source() const { return source_; }
  size_t step() const { return step_; }  // Positions so far, the new one included.
  // Positions of hypotheses that are kept, those they share counted once.
  size_t rows_in_use() const { return slots_ - free_.size(); }
  // Slots of a row's positions, the new one last.
  std::span<const uint32_t> slots(size_t row) const { return histories_[row]; }

  std::vector<KeyValueRows> self;   // A layer each; rows are slots.
  std::vector<KeyValueRows> cross;  // A layer each; rows are those of the source.

 private:
  void free_unused();
  uint32_t take_slot();

  SourceRows source_;
  size_t step_ = 0;
  std::vector<std::vector<uint32_t>> histories_, parents_;  // Of this step's rows, and the last's.
  std::vector<uint32_t> free_;
  std::vector<bool> used_;  // By slot.
  uint32_t slots_ = 0;      // Ever taken.
};

// Which attention over the source to copy out.
struct WantedAttention {
  size_t layer = 0;
  int head = -1;          // −1: the mean of all.
  float* rows = nullptr;  // [rows, stride]; null: not wanted.
  size_t stride = 0;
};

// The rows of one step of the decoder. The state has been advanced.
struct DecoderStep {
  std::span<const StepRow> rows;
  DecoderState& state;
  WantedAttention wanted = {};
};
void decoder_layer(const Model& model, size_t layer, const DecoderStep& step, float* x,
                   Scratch& scratch);

// After all layers of a stack.
void last_norm(const Model& model, Stack stack, size_t rows, float* x, Scratch& scratch);

}  // namespace eatt
