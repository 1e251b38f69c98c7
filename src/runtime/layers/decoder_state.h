#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/attention/rows.h"
#include "runtime/layers/model.h"
#include "runtime/search/step_model.h"

namespace eatt {

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

}  // namespace eatt
