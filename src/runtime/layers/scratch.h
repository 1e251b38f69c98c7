#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/layers/memory.h"

namespace eatt {

class Observer;

// Memory that the layers of a batch use again and again; each name has one meaning. Nothing in it
// outlives a layer.
struct Scratch {
  Buffer<float> normed;     // [rows, model_dim]: what a sub-layer reads
  Buffer<float> delta;      // [rows, model_dim]: what it adds
  Buffer<float> projected;  // [rows, …]: queries, keys and values side by side, as a map gives them
  Buffer<float> values;     // [rows, attention_dim], where they have a map of their own
  Buffer<float> context;    // [rows, attention_dim]: weighted values
  Buffer<float> hidden;     // [rows, ffn_dim]
  Buffer<float> scores;     // [heads, keys] of a row
  Buffer<float> attention;  // Of kernels::attention_forward
  Buffer<float> log_sums;
  Buffer<float> moments;  // [2, rows] of a norm

  Buffer<uint8_t> quantized;  // Input of an int8 product
  Buffer<float> row_scales;
  Buffer<uint64_t> bits;  // Codes, [planes, rows, words]
  Buffer<uint8_t> code_positions, code_counts;
  Buffer<int16_t> selected;  // [rows, …]: integer queries and keys

  std::vector<const void*> key_rows, value_rows;  // Of a row's attention

  Observer* observer = nullptr;  // Null: none.
  // Called now and then while a batch is encoded; may throw, which ends the batch. Null: none.
  const std::function<void()>* before_step = nullptr;
};

}  // namespace eatt
