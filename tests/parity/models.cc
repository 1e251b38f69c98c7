#include "models.h"

#include <random>

#include "../model/small_models.h"
#include "text/pieces.h"

namespace eatt::testing {

Twins make_twins(const Architecture& architecture, uint64_t seed) {
  torch::manual_seed(seed);
  Transformer model(architecture, ModelTraining{});
  shake(*model, 0.1);
  model->eval();
  return {model, RuntimeModel(architecture, weights_of(*model))};
}

Architecture mixed_architecture(const Mix& mix) {
  Architecture a;
  a.model_dim = 32;
  a.heads = 4;
  a.ffn_dim = 48;
  a.attention_dim = 24;
  a.qk_dim = 16;
  a.max_length = 40;
  a.source_vocab = 70;
  a.target_vocab = 90;
  a.encoder_self.layers.assign(2, mix.self);
  a.decoder_self.layers.assign(2, mix.self);
  a.cross.layers.assign(2, mix.cross);
  a.threshold.value = 0.9;
  return a;
}

std::vector<std::vector<int32_t>> random_sentences(size_t count, size_t longest, int vocab,
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
