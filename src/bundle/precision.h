#pragma once

#include <array>
#include <string_view>

namespace eatt {

// How the weights of a bundle are stored. What a precision does to names, types and shapes of the
// tensors is part of the format: see expected_tensors.h.
enum class Precision { float32, int8 };
inline constexpr std::array<std::string_view, 2> kPrecisionNames = {"float32", "int8"};

inline constexpr std::string_view precision_name(Precision precision) {
  return kPrecisionNames[static_cast<size_t>(precision)];
}

}  // namespace eatt
