#include "model/transformer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bundle/bundle_checks.h"
#include "model/building_blocks.h"
#include "model/products.h"

namespace eatt {
namespace {

// A module that only holds others, for names such as encoder.layers.0.
std::shared_ptr<torch::nn::Module> register_group(torch::nn::Module& owner,
                                                  const std::string& name) {
  return owner.register_module(name, std::make_shared<torch::nn::Module>());
}

AttentionTrace empty_trace(const ModelTrace& trace) {
  return {.wants_weights = trace.wants_weights, .wants_gradient = trace.wants_gradient};
}

}  // namespace

TransformerImpl::TransformerImpl(const Architecture& architecture, const ModelTraining& training)
    : architecture_(architecture), training_(training) {
  create_embeddings();
  create_encoder();
  create_decoder();
}

void TransformerImpl::create_embeddings() {
  const auto& a = architecture_;
  encoder_ = register_group(*this, "encoder");
  decoder_ = register_group(*this, "decoder");
  if (a.embeddings == EmbeddingSharing::all) {
    source_embedding_ =
        register_group(*this, "shared")
            ->register_parameter("weight", embedding_weights(a.source_vocab, a.model_dim));
    target_embedding_ = output_weight_ = source_embedding_;
    return;
  }
  source_embedding_ =
      register_group(*encoder_, "embed_tokens")
          ->register_parameter("weight", embedding_weights(a.source_vocab, a.model_dim));
  target_embedding_ =
      register_group(*decoder_, "embed_tokens")
          ->register_parameter("weight", embedding_weights(a.target_vocab, a.model_dim));
  output_weight_ = target_embedding_;
  if (a.embeddings == EmbeddingSharing::target) return;
  output_weight_ =
      register_group(*decoder_, "output_projection")
          ->register_parameter("weight", embedding_weights(a.target_vocab, a.model_dim));
}

void TransformerImpl::create_encoder() {
  auto layers = register_group(*encoder_, "layers");
  for (size_t i = 0; i < architecture_.encoder_layers(); ++i) {
    encoder_layers_.push_back(
        layers->register_module(std::to_string(i), EncoderLayer(architecture_, i, training_)));
  }
  if (architecture_.norm == NormPlacement::pre) {
    encoder_norm_ = encoder_->register_module("layer_norm", layer_norm(architecture_));
  }
}

void TransformerImpl::create_decoder() {
  memory_coder_ = make_memory_coder(*decoder_, architecture_, training_.codes);
  auto layers = register_group(*decoder_, "layers");
  for (size_t i = 0; i < architecture_.decoder_layers(); ++i) {
    decoder_layers_.push_back(
        layers->register_module(std::to_string(i), DecoderLayer(architecture_, i, training_)));
  }
  if (architecture_.norm == NormPlacement::pre) {
    decoder_norm_ = decoder_->register_module("layer_norm", layer_norm(architecture_));
  }
}

Memory TransformerImpl::encode(const TokenBatch& source, ModelTrace* trace) {
  const int64_t length = source.tokens.size(1);
  check_length(length);
  if (trace != nullptr) trace->encoder_self.assign(encoder_layers_.size(), empty_trace(*trace));
  const auto mask = AttentionMask::from_lengths(source.lengths, length, /*causal=*/false, length);
  auto x = embed(source_embedding_, source.tokens);
  for (size_t i = 0; i < encoder_layers_.size(); ++i) {
    x = encoder_layers_[i]->forward(x, mask, trace ? &trace->encoder_self[i] : nullptr);
  }
  if (encoder_norm_) x = normalise(x, encoder_norm_);
  const auto& coded = x.undropped.defined() ? x.undropped : x.x;
  const SelectionCodes codes = memory_coder_ ? (*memory_coder_)(coded) : SelectionCodes{};
  return {.states = x.x, .codes = codes, .lengths = source.lengths};
}

torch::Tensor TransformerImpl::decode(const Memory& memory, const TokenBatch& target,
                                      ModelTrace* trace) {
  const int64_t length = target.tokens.size(1);
  check_length(length);
  if (trace != nullptr) {
    trace->decoder_self.assign(decoder_layers_.size(), empty_trace(*trace));
    trace->cross.assign(decoder_layers_.size(), empty_trace(*trace));
    if (trace->guided_layer) {
      AttentionTrace& guided = trace->cross.at(*trace->guided_layer);
      guided.wants_weights = guided.wants_gradient = true;
    }
  }
  const auto self_mask =
      AttentionMask::from_lengths(target.lengths, length, /*causal=*/true, length);
  const auto cross_mask =
      AttentionMask::from_lengths(memory.lengths, memory.states.size(1), /*causal=*/false, length);
  auto x = embed(target_embedding_, target.tokens);
  for (size_t i = 0; i < decoder_layers_.size(); ++i) {
    DecoderLayerTrace layer_trace;
    if (trace != nullptr) layer_trace = {&trace->decoder_self[i], &trace->cross[i]};
    x = decoder_layers_[i]->forward(x, self_mask, memory, cross_mask, layer_trace);
  }
  return decoder_norm_ ? normalise(x.x, decoder_norm_) : x.x;
}

torch::Tensor TransformerImpl::logits(const torch::Tensor& hidden) {
  return project(hidden, output_weight_);
}

void TransformerImpl::check_length(int64_t tokens) const {
  if (tokens <= torch_size(architecture_.max_length) || !has_length_limit(architecture_)) return;
  throw Error(
      fmt::format("a sentence of {} pieces is longer than {}, the most that this model's attention "
                  "can read; shorten it, or train with a larger --max-length",
                  tokens, architecture_.max_length));
}

// √model_dim · row + position, with dropout: [batch, len] → [batch, len, model_dim]
Stream TransformerImpl::embed(const torch::Tensor& weight, const torch::Tensor& tokens) {
  const double scale = std::sqrt(static_cast<double>(architecture_.model_dim));
  auto x = torch::embedding(weight, tokens) * scale + positions(tokens.size(1), weight);
  if (!is_training() || training_.dropout.residual == 0) return {x};
  return {dropout(x, training_.dropout.residual, training_.random),
          training_.codes.without_dropout ? x : torch::Tensor()};
}

torch::Tensor TransformerImpl::positions(int64_t length, const torch::Tensor& like) {
  const std::lock_guard lock(positions_mutex_);
  const bool fits = positions_.defined() && positions_.size(0) >= length &&
                    positions_.scalar_type() == like.scalar_type() &&
                    positions_.device() == like.device();
  if (!fits) {
    positions_ = sinusoidal_positions(std::max<int64_t>(2 * length, 64), architecture_.model_dim)
                     .to(like.device(), like.scalar_type());
  }
  return positions_.slice(0, 0, length);
}

NamedWeights weights_of(const torch::nn::Module& model) {
  NamedWeights weights;
  for (const auto& item : model.named_parameters()) {
    weights[item.key()] = item.value().detach().to(torch::kCPU, torch::kFloat);
  }
  return weights;
}

NamedWeights weights_of(const Bundle& bundle) {
  expect_float32(bundle);
  NamedWeights weights;
  for (const TensorInfo& info : bundle.weights().tensors()) {
    const auto values = bundle.weights().values<float>(info.name);
    const std::vector<int64_t> shape(info.shape.begin(), info.shape.end());
    weights[info.name] =
        torch::from_blob(const_cast<float*>(values.data()), shape, torch::kFloat).clone();
  }
  return weights;
}

TensorView view_of(const std::string& name, const torch::Tensor& tensor) {
  const auto sizes = tensor.sizes();
  return {name, Dtype::f32, Shape(sizes.begin(), sizes.end()),
          std::as_bytes(std::span(tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())))};
}

std::vector<Misfit> copy_weights(const NamedWeights& weights, torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  std::vector<Misfit> misfits;
  for (auto& item : model.named_parameters()) {
    const auto found = weights.find(item.key());
    if (found == weights.end()) {
      misfits.push_back({item.key(), "the bundle has no such tensor"});
    } else if (found->second.sizes() != item.value().sizes()) {
      misfits.push_back({item.key(), fmt::format("[{}] in the bundle, [{}] here",
                                                 fmt::join(found->second.sizes().vec(), ", "),
                                                 fmt::join(item.value().sizes().vec(), ", "))});
    } else {
      item.value().copy_(found->second);
    }
  }
  return misfits;
}

Transformer load_transformer(const Bundle& bundle) {
  Transformer model(bundle.architecture(), ModelTraining{});
  const auto misfits = copy_weights(weights_of(bundle), *model);
  expects(misfits.empty(), "a bundle that was opened has every tensor of its architecture");
  model->eval();
  return model;
}

}  // namespace eatt
