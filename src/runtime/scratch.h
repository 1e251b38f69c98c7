#pragma once

#include <cstdint>
#include <vector>

#include "kernels/int8_product.h"
#include "kernels/row_attention.h"
#include "kernels/selection_codes.h"
#include "runtime/activity_recorder.h"
#include "runtime/buffer.h"
#include "runtime/code_observer.h"
#include "runtime/part_times.h"
#include "runtime/step_observer.h"

namespace eatt {

// Memory that the layers of a batch use again and again; each name has one meaning. Nothing in it
// outlives a layer.
struct Scratch {
  Buffer<float> normed;     // [rows, model_dim]: what a sub-layer reads
  Buffer<float> change;     // [rows, model_dim]: what it adds
  Buffer<float> projected;  // [rows, …]: queries, keys and values side by side, as a map gives them
  Buffer<float> values;     // [rows, attention_dim], where they have a map of their own
  Buffer<float> mixed;      // [rows, attention_dim]: values, weighted
  Buffer<float> hidden;     // [rows, ffn_dim]
  Buffer<float> scores;     // [heads, keys] of a row
  Buffer<float> attention;  // Of kernels::attention_forward
  Buffer<float> log_sums;
  Buffer<float> moments;  // [2, rows] of a norm

  Buffer<uint8_t> quantised;  // Input of an int8 product
  Buffer<float> row_scales;
  Buffer<uint64_t> bits;  // Codes, [rows, words]
  Buffer<uint8_t> code_positions, code_counts;
  Buffer<int16_t> selected;  // [rows, …]: whole queries and keys

  std::vector<const void*> key_rows, value_rows;  // Of a row's attention

  PartTimes* times = nullptr;            // Filled if set.
  CodeObserver* observer = nullptr;      // Told if set.
  StepObserver* steps = nullptr;         // Told if set.
  ActivityRecorder* recorder = nullptr;  // Told if set.
};

}  // namespace eatt
