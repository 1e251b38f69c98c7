#pragma once

#include <bit>
#include <cstdint>

#include "bundle/architecture.h"
#include "energy/activity.h"
#include "energy/operations.h"

namespace eatt::energy {

// How an int8 model compares queries with keys by dot products.
enum class DotScores {
  floating,  // In fp32, as the runtime does.
  integer,   // Rounded to int8, with sums of int32: what a chip for vanilla attention would do.
};

// Rows that go through a step, and how often its weights are read for them.
struct Rows {
  uint64_t rows = 0;
  uint64_t passes = 0;
};

// Rows that attend to others.
struct Attending {
  Rows rows;
  uint64_t pairs = 0;
  uint64_t rows_read = 0;         // Rows of keys (and of values) that have to be read.
  Data from = Data::activations;  // Where they are: in the decoder, in caches.
};

// What the steps of a Transformer take: the tables of docs/operation-counts.md, a function each.
class StepWork {
 public:
  StepWork(const Architecture& architecture, Precision precision,
           DotScores dot_scores = DotScores::floating);

  Work embedding(const Rows& rows) const;
  Work norm(const Rows& rows) const;
  Work residual(const Rows& rows) const;
  Work relu(const Rows& rows, uint64_t width) const;
  Work threshold(const Rows& rows) const;
  // Before products; nothing in float32.
  Work rounding(const Rows& rows, uint64_t width, Data to = Data::activations) const;
  Work product(const Rows& rows, uint64_t in, uint64_t out, bool has_bias,
               Data to = Data::activations) const;
  // Queries, keys and values by products of the model's width; results that are kept
  // go to the caches.
  Work queries(Mechanism mechanism, const Rows& rows) const;
  Work keys(Mechanism mechanism, const Rows& rows, Data to) const;
  Work values(const Rows& rows, Data to) const;
  // Queries or keys by selected rows.
  Work selection(Mechanism mechanism, const Rows& rows, const CodeActivity& codes, Data to) const;
  Work scores(Mechanism mechanism, const Attending& attending) const;
  Work context(const Attending& attending) const;
  // `columns` over all rows; the weights of `distinct` columns are read.
  Work vocabulary(const Rows& rows, uint64_t columns, uint64_t distinct) const;
  static Work search(const SearchActivity& search);

  // Bytes of the weights of a product, and of an attention's selections of queries and keys.
  uint64_t product_bytes(uint64_t in, uint64_t out, bool has_bias) const;
  uint64_t selection_bytes() const;
  // Bytes of a row of keys or values, as activations or as they are kept; of queries; and of a row
  // that a product reads.
  uint64_t key_bytes(Mechanism mechanism, Data where) const;
  uint64_t value_bytes(Data where) const;
  uint64_t query_bytes(Mechanism mechanism) const;
  uint64_t input_bytes(uint64_t width) const;

 private:
  uint64_t code_digits() const { return static_cast<uint64_t>(std::bit_width(code_levels_)); }
  bool is_int8() const { return precision_ == Precision::int8; }
  bool has_integer_keys(Mechanism mechanism) const;  // int16 sums
  bool has_rounded_keys(Mechanism mechanism) const;  // int8, with a scale for each row
  Number kept_number() const { return is_int8() ? Number::fp16 : Number::fp32; }
  Work product_operations(uint64_t terms, uint64_t outputs, bool has_bias) const;
  Work integer_to_floating(const Rows& rows, Data to) const;
  void write_floats(uint64_t numbers, Data to, Work& work) const;

  Precision precision_;
  DotScores dot_scores_;
  bool learned_threshold_;
  uint64_t code_levels_;  // Of signed codes; 0: binary.
  uint64_t model_dim_, qk_dim_, value_dim_, heads_;
};

}  // namespace eatt::energy
