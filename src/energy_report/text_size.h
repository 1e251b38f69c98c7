#pragma once

#include <cstdint>

namespace eatt::energy {

// A text and its translation: what figures are divided by. Pieces are without markers.
struct TextSize {
  uint64_t lines = 0;
  uint64_t source_words = 0;
  uint64_t source_pieces = 0;
  uint64_t target_pieces = 0;

  friend bool operator==(const TextSize&, const TextSize&) = default;
};

}  // namespace eatt::energy
