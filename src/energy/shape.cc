#include "energy/shape.h"

#include <fmt/format.h>

#include <string_view>

#include "base/error.h"
#include "base/progress.h"

namespace eatt::energy {
namespace {

uint64_t checked_size(std::string_view what, int64_t size) {
  if (size < 1 || size > Shape::kLargestSize) {
    throw UsageError(fmt::format("{} {}: expected a whole number from 1 to {}", what, size,
                                 format_count(Shape::kLargestSize)));
  }
  return static_cast<uint64_t>(size);
}

}  // namespace

Shape::Shape(int64_t length, int64_t width, std::optional<int64_t> attention_width)
    : length_(checked_size("length", length)),
      width_(checked_size("width", width)),
      attention_width_(checked_size("attention width", attention_width.value_or(width))) {}

Shape Shape::with_attention_width(uint64_t attention_width) const {
  return Shape(static_cast<int64_t>(length_), static_cast<int64_t>(width_),
               static_cast<int64_t>(attention_width));
}

Shape Shape::with_model_width(uint64_t width) const {
  return Shape(static_cast<int64_t>(length_), static_cast<int64_t>(width));
}

}  // namespace eatt::energy
