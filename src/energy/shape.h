#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bundle/place.h"

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

// The share of ones in the binarized inputs of a selection, from 0 to 1.
struct Density {
  double query = 0;
  double key = 0;

  double mean() const { return (query + key) / 2; }
  friend bool operator==(const Density&, const Density&) = default;
};

// Densities of the three roles, in the order of kRoles, and where they come from.
struct Densities {
  enum class Source {
    paper,  // Its figure of nonzero values: En-Vi, six layers.
    given,  // One number for all.
  };
  struct ByRole {
    Role role = Role::encoder_self;
    std::vector<Density> layers;  // From the first layer on; empty if not known by layer.
    Density mean;                 // Over the layers.
  };

  Source source = Source::paper;
  std::array<ByRole, kRoles.size()> roles;
  // Over the three roles. Energy is linear in density, so this gives the mean energy as well.
  Density mean;
};

Densities paper_densities();

// Throws a UsageError unless 0 <= density <= 1.
Densities uniform_densities(double density);

}  // namespace eatt::energy
