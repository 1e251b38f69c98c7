#pragma once

#include <cstdint>

#include "bundle/bundle.h"
#include "runtime/layers/model.h"
#include "support/files.h"
#include "support/random_sources.h"
#include "support/tiny_bundle.h"

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

}  // namespace eatt::testing
