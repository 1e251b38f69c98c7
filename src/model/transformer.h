#pragma once

#include <torch/torch.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/bundle.h"
#include "model/layers.h"
#include "model/mechanisms.h"

namespace eatt {

// Sentences of one side, padded to the longest.
struct TokenBatch {
  torch::Tensor tokens;   // [batch, len], integers
  torch::Tensor lengths;  // [batch]; tokens at or beyond are padding
};

// Filled on request: one entry per layer.
struct ModelTrace {
  bool wants_weights = true;    // See AttentionTrace.
  bool wants_gradient = false;  // See AttentionTrace.
  // The cross-attention of this layer, from 0, gives weights with a gradient, whatever the others
  // do.
  std::optional<size_t> guided_layer = {};
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
  // [target_vocab, model_dim]
  const torch::Tensor& output_weight() const { return output_weight_; }

  const Architecture& architecture() const { return architecture_; }

  // Throws an Error if some attention of the model cannot see as many tokens.
  void check_length(int64_t tokens) const;

 private:
  void create_embeddings();
  void create_encoder();
  void create_decoder();
  Stream embed(const torch::Tensor& weight, const torch::Tensor& tokens);
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

NamedWeights weights_of(const torch::nn::Module& model);
// A copy of all tensors of a bundle; an Error if it is not float32.
NamedWeights weights_of(const Bundle& bundle);

// A tensor's bytes for a file; it must be float32, contiguous, on the CPU, and outlive the view.
TensorView view_of(const std::string& name, const torch::Tensor& tensor);

// Why a tensor of the model did not get the given weights.
struct Misfit {
  std::string name;
  std::string reason;  // "it has none", "[8, 4] there, [8, 6] here"
};

// Copies what fits by name and shape into the model; the rest of the model stays as it is.
std::vector<Misfit> copy_weights(const NamedWeights& weights, torch::nn::Module& model);

// The model of a bundle, ready to compute: everything fits, or it is an Error.
Transformer load_transformer(const Bundle& bundle);

}  // namespace eatt
