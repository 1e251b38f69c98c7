#pragma once

#include <torch/torch.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bundle/architecture.h"
#include "model/layers.h"

namespace eatt {

// Sentences of one side, padded to the longest.
struct TokenBatch {
  torch::Tensor tokens;   // [batch, len], integers
  torch::Tensor lengths;  // [batch]; tokens at or beyond are padding
};

// Filled on request: one entry per layer.
struct ModelTrace {
  bool wants_weights = true;  // See AttentionTrace.
  std::vector<AttentionTrace> encoder_self = {}, decoder_self = {}, cross = {};
};

// The encoder-decoder of an Architecture. Without training() several threads may use it at once.
// Its parameters carry the names and shapes of expected_tensors(); weights are created in that
// order from libtorch's generator.
class TransformerImpl : public torch::nn::Module {
 public:
  TransformerImpl(const Architecture& architecture, const ModelTraining& training);

  Memory encode(const TokenBatch& source, ModelTrace* trace = nullptr);

  // target.tokens [batch, target_len] begins with the begin marker; position i of the result
  // predicts token i+1: hidden states [batch, target_len, model_dim].
  torch::Tensor decode(const Memory& memory, const TokenBatch& target, ModelTrace* trace = nullptr);

  // Hidden states [..., model_dim] → logits [..., target_vocab].
  torch::Tensor logits(const torch::Tensor& hidden);

  const Architecture& architecture() const { return architecture_; }

  // Throws an Error if some attention of the model cannot see as many tokens.
  void check_length(int64_t tokens) const;

 private:
  void create_embeddings();
  void create_encoder();
  void create_decoder();
  torch::Tensor embed(const torch::Tensor& weight, const torch::Tensor& tokens);
  torch::Tensor positions(int64_t length, const torch::Tensor& like);

  Architecture architecture_;
  ModelTraining training_;
  torch::Tensor source_embedding_, target_embedding_, output_weight_;
  std::shared_ptr<torch::nn::Module> encoder_, decoder_;  // Groups, for the parameters' names.
  std::vector<EncoderLayer> encoder_layers_;
  std::vector<DecoderLayer> decoder_layers_;
  torch::nn::LayerNorm encoder_norm_{nullptr}, decoder_norm_{nullptr};
  std::optional<Coder> memory_coder_;  // If some cross-attention reads codes.
  torch::Tensor positions_;            // Grown on demand, by whichever thread needs more.
  std::mutex positions_mutex_;
};
TORCH_MODULE(Transformer);

}  // namespace eatt
