#pragma once

#include <cstdint>
#include <optional>

namespace eatt::energy {

// The sizes of one attention: `length` positions on both sides, as in the paper; vectors of `width`
// enter and leave; queries, keys and values are `attention_width` wide over all heads together.
// (How many heads share that width changes no count.)
class Shape {
 public:
  // The largest value of each size: with it, every count below fits 64 bits.
  static constexpr int64_t kLargestSize = 1'000'000;

  // Without `attention_width` it equals `width`. Throws a UsageError for sizes outside
  // 1…kLargestSize.
  Shape(int64_t length, int64_t width, std::optional<int64_t> attention_width = std::nullopt);

  uint64_t length() const { return length_; }                    // l
  uint64_t width() const { return width_; }                      // d
  uint64_t attention_width() const { return attention_width_; }  // k

  // The same length with other widths; checked like the constructor's.
  Shape with_attention_width(uint64_t attention_width) const;
  Shape with_model_width(uint64_t width) const;  // k = d
  Shape with_full_attention_width() const { return with_model_width(width_); }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  uint64_t length_;
  uint64_t width_;
  uint64_t attention_width_;
};

// The share of ones in the binarised inputs of a selection, from 0 to 1.
struct Density {
  double query = 0;
  double key = 0;

  double mean() const { return (query + key) / 2; }
  friend bool operator==(const Density&, const Density&) = default;
};

}  // namespace eatt::energy
