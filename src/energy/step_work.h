#pragma once

#include <cstdint>

#include "bundle/architecture.h"
#include "bundle/precision.h"
#include "energy/activity.h"
#include "energy/operations.h"

namespace eatt::energy {

// Rows that go through a step, and how often its weights are read for them.
struct Rows {
  uint64_t rows = 0;
  uint64_t passes = 0;
};

// Rows that attend to others.
struct Attending {
  Rows rows;
  uint64_t pairs = 0;
  uint64_t rows_read = 0;  // Rows of keys (and of values) that have to be read.
  bool kept = false;       // In caches: the decoder's.
};

// What the steps of a Transformer take: the tables of docs/operation-counts.md, a function each.
class StepWork {
 public:
  StepWork(const Architecture& architecture, Precision precision);

  Work embedding(const Rows& rows) const;
  Work norm(const Rows& rows) const;
  Work residual(const Rows& rows) const;
  Work relu(const Rows& rows, uint64_t width) const;
  Work threshold(const Rows& rows) const;
  // Before products; nothing in float32.
  Work rounding(const Rows& rows, uint64_t width) const;
  Work product(const Rows& rows, uint64_t in, uint64_t out, bool has_bias) const;
  // A product whose results are keys or values that the decoder keeps.
  Work kept_product(const Rows& rows, uint64_t out) const;
  // Queries or keys by selected rows, ready for the scores; keys may be kept.
  Work selection(Mechanism mechanism, const Rows& rows, const CodeActivity& codes, bool kept) const;
  Work scores(Mechanism mechanism, const Attending& attending) const;
  Work context(const Attending& attending) const;
  // `columns` over all rows; the weights of `distinct` columns are read.
  Work vocabulary(const Rows& rows, uint64_t columns, uint64_t distinct) const;
  static Work search(const SearchActivity& search);

  // Bytes of the weights of a product, and of an attention's selections of queries and keys.
  uint64_t product_bytes(uint64_t in, uint64_t out, bool has_bias) const;
  uint64_t selection_bytes() const;
  // Bytes of a row of keys or values as it is kept.
  uint64_t kept_key_bytes(Mechanism mechanism) const;
  uint64_t kept_value_bytes() const;
  // Of a row that a product reads.
  uint64_t input_bytes(uint64_t width) const;

 private:
  bool is_int8() const { return precision_ == Precision::int8; }
  bool has_whole_keys(Mechanism mechanism) const;
  Work product_operations(uint64_t inputs, uint64_t outputs, bool has_bias) const;
  Work whole_to_floating(const Rows& rows, bool kept) const;
  void keep(uint64_t numbers, Work& work) const;

  Precision precision_;
  bool learned_threshold_;
  uint64_t d_, q_, v_, heads_;
};

}  // namespace eatt::energy
