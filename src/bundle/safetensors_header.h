#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/dtype.h"

namespace eatt {

// The safetensors format: eight bytes N (little-endian), N bytes of JSON, then the tensors' bytes,
// row-major and little-endian, each byte belonging to exactly one tensor.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  uint64_t begin = 0;  // Counted from the start of the data.
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;              // In the order of their bytes.
  std::map<std::string, std::string> metadata;  // The texts under "__metadata__".
  uint64_t data_start = 0;                      // Counted from the start of the file.
};

inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // The format's own limit.
inline constexpr size_t kMaxTensors = 100'000;
inline constexpr size_t kMaxRank = 8;
inline constexpr uint64_t kAlignment = 64;  // A cache line, and the widest vector register.

// Reads and checks the header of a whole file's bytes; the tensors' own bytes are not touched.
// Whatever the bytes are, the result is a header whose every offset lies inside them, or an Error
// naming `file_name`.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes,
                                           const std::string& file_name);

// Gives the tensors (name, dtype and shape set) their places, and returns them in the order of
// their bytes: in descending alignment of their sizes, otherwise as given.
//
// The format allows no holes, so there is no padding between tensors. But where tensors are sorted
// by the largest power of two (up to 64) that divides their size, each starts at a multiple of that
// power: all sizes before it are multiples. So a tensor whose size is a multiple of 64 bytes starts
// at a multiple of 64 (in a usual model all of them), and any other at a multiple of its element.
std::vector<TensorInfo> place_tensors(std::vector<TensorInfo> tensors);

// The length, the JSON, and spaces up to the next multiple of 64. `tensors` as place_tensors
// returns them.
std::string print_safetensors_header(std::span<const TensorInfo> tensors,
                                     const std::map<std::string, std::string>& metadata);

}  // namespace eatt
