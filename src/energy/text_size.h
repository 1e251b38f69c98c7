#pragma once

#include <cstdint>

namespace eatt::energy {

// A text and its translations: what figures are divided by, and the lengths that the paper's forms
// take. A position is a piece or an end marker.
struct TextSize {
  uint64_t sentences = 0;
  uint64_t source_words = 0;
  uint64_t source_pieces = 0;
  uint64_t target_pieces = 0;

  uint64_t source_rows = 0;   // Positions.
  uint64_t source_pairs = 0;  // Their squares, summed over sentences.
  uint64_t target_rows = 0;
  uint64_t target_pairs = 0;
  uint64_t cross_pairs = 0;

  // A sentence of so many pieces, without markers.
  void add(uint64_t words, uint64_t source, uint64_t target) {
    ++sentences;
    source_words += words;
    source_pieces += source;
    target_pieces += target;
    const uint64_t source_length = source + 1, target_length = target + 1;
    source_rows += source_length;
    source_pairs += source_length * source_length;
    target_rows += target_length;
    target_pairs += target_length * target_length;
    cross_pairs += source_length * target_length;
  }
  friend bool operator==(const TextSize&, const TextSize&) = default;
};

}  // namespace eatt::energy
