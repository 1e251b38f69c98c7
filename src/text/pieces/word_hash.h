#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace eatt {

// A quick hash, the same on every little-endian machine. Multiplies and folds eight bytes at a
// time, which suits the short words that text has.
inline uint64_t hash_word(std::string_view word) {
  constexpr uint64_t kFactor = 0x9fb21c651e98df25;
  uint64_t hash = word.size() * kFactor;
  const char* at = word.data();
  size_t left = word.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t eight;
    std::memcpy(&eight, at, 8);
    hash = (hash ^ eight) * kFactor;
    hash ^= hash >> 32;
  }
  uint64_t rest = 0;
  std::memcpy(&rest, at, left);
  hash = (hash ^ rest) * kFactor;
  return hash ^ hash >> 29;
}

}  // namespace eatt
