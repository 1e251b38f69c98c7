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

// Numbers 0, 1, 2, … that are taken and given back; what was given back is taken first.
class SlotNumbers {
 public:
  uint32_t take();
  void give_back(uint32_t slot) { free_.push_back(slot); }
  // Gives back all that are not `used` [ever_taken()].
  void give_back_unused(const std::vector<bool>& used);

  size_t in_use() const { return ever_taken_ - free_.size(); }
  size_t ever_taken() const { return ever_taken_; }

 private:
  std::vector<uint32_t> free_;
  uint32_t ever_taken_ = 0;
};

// What the decoder keeps of the sentences of a batch: keys and values of their sources, made when
// they join, and those of the pieces so far. A position of a source or of a hypothesis is a slot,
// the same in all layers. Hypotheses that share their beginning share its slots, and reordering a
// beam moves slot numbers only. Slots that nobody uses any more are used again.
class DecoderState {
 public:
  explicit DecoderState(const Model& model);

  // A sentence of this length, the end marker included, joins; returns the slots of its source.
  std::span<const uint32_t> add(int32_t sentence, size_t length);
  // The slots of its source are free. Those of its hypotheses are at the next step.
  void remove(int32_t sentence);
  void clear();

  // Gives each row the history of its parent and a slot for its new position.
  void advance(std::span<const StepRow> rows);

  // Slots of a sentence's source, and of a row's positions, the new one last.
  std::span<const uint32_t> source_slots(int32_t sentence) const {
    return sources_[static_cast<size_t>(sentence)];
  }
  std::span<const uint32_t> slots(size_t row) const { return histories_[row]; }

  // Positions that are kept: of hypotheses, those they share counted once, and of sources.
  size_t rows_in_use() const { return self_slots_.in_use(); }
  size_t source_rows_in_use() const { return cross_slots_.in_use(); }

  std::vector<KeyValueRows> self, cross;  // A layer each; rows are slots.

 private:
  void free_unused();

  std::vector<std::vector<uint32_t>> sources_;              // By sentence; empty: there is none.
  std::vector<std::vector<uint32_t>> histories_, parents_;  // Of this step's rows, and the last's.
  SlotNumbers self_slots_, cross_slots_;
  std::vector<bool> used_;  // By slot of a hypothesis.
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
