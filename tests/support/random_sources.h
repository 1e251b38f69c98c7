#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "text/pieces/pieces.h"

namespace eatt::testing {

// Random sentences of 1 … longest pieces, without markers.
inline std::vector<std::vector<int32_t>> random_sources(size_t count, size_t longest, int vocab,
                                                        uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<int32_t>> sentences(count);
  for (auto& sentence : sentences) {
    sentence.resize(1 + random() % longest);
    for (int32_t& piece : sentence) {
      piece = kEndPiece + 1 +
              static_cast<int32_t>(random() % static_cast<uint64_t>(vocab - kEndPiece - 1));
    }
  }
  return sentences;
}

}  // namespace eatt::testing
