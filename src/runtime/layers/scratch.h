#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/products/products.h"
#include "kernels/selection/selection_codes.h"
#include "runtime/layers/activity_recorder.h"
#include "runtime/layers/buffer.h"
#include "runtime/layers/code_observer.h"
#include "runtime/layers/part_times.h"
#include "runtime/layers/step_observer.h"

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

  Buffer<uint8_t> quantized;  // Input of an int8 product
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
