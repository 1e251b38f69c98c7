#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "bundle/bundle.h"
#include "runtime/model.h"
#include "support/files.h"
#include "support/tiny_bundle.h"
#include "text/pieces.h"

namespace eatt::testing {

// A model of random weights, large enough that vectors, tiles and tails all occur.
inline Architecture odd_architecture(Mechanism mechanism) {
  Architecture a;
  a.model_dim = 70;
  a.heads = 3;
  a.ffn_dim = 150;
  a.attention_dim = 69;
  a.qk_dim = 51;
  a.max_length = 64;
  a.source_vocab = 100;
  a.target_vocab = 130;
  a.encoder_self.layers.assign(2, mechanism);
  a.decoder_self.layers.assign(2, mechanism);
  a.cross.layers.assign(2, mechanism);
  a.threshold.value = 0.8;
  return a;
}

inline Model random_model(const Architecture& architecture, Precision precision,
                          uint64_t seed = 1) {
  const TemporaryFolder folder;
  write_random_bundle(folder.path() / "bundle", architecture, seed);
  return load_model(Bundle::open(folder.path() / "bundle"), precision);
}

// Sentences of 1 … longest pieces above the markers.
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
