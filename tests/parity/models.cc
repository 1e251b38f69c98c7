#include "models.h"

#include "../model/small_models.h"

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

}  // namespace eatt::testing
