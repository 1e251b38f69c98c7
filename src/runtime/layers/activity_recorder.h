#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "energy/activity.h"
#include "runtime/layers/code_observer.h"

namespace eatt {

struct SourceRows;
class DecoderState;
struct StepScores;

// Writes down what a model does, for the count of its operations. It is told once per layer and
// step, never per element, and adds up what it is told to an Activity.
class ActivityRecorder {
 public:
  // The activity must outlive it.
  explicit ActivityRecorder(energy::Activity& activity) : activity_(activity) {}

  // Codes of all rows that pass a layer together. Those of the encoder's output may come in parts;
  // source() closes them.
  void codes(const CodeRows& codes);
  // A batch was encoded, and its keys and values are remembered.
  void source(const SourceRows& source);
  // A step of the decoder, whose rows belong to these sentences.
  void step(const DecoderState& state, const StepScores& scores,
            std::span<const int32_t> sentences);

 private:
  energy::CodeActivity& codes_of(CodePlace place, size_t layer);
  uint64_t distinct_columns(const StepScores& scores, size_t rows);

  energy::Activity& activity_;
  std::vector<uint64_t> seen_;      // Features that were one in some row of a call, as bits.
  std::vector<uint64_t> key_seen_;  // Of the encoder's output.
  std::vector<bool> needed_;        // Pieces that some row of a step needs.
};

}  // namespace eatt
