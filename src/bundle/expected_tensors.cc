#include "bundle/expected_tensors.h"

#include <fmt/format.h>

#include <algorithm>

namespace eatt {
namespace {

// Gathers the tensors of one architecture.
class TensorList {
 public:
  explicit TensorList(const Architecture& architecture) : a_(architecture) {}

  std::vector<TensorSpec> build() {
    add_embeddings();
    for (size_t i = 0; i < a_.encoder_layers(); ++i) {
      const std::string layer = fmt::format("encoder.layers.{}.", i);
      add_attention(layer, Role::encoder_self, i);
      add_ffn(layer);
    }
    if (a_.norm == NormPlacement::pre) add_norm("encoder.layer_norm");
    if (a_.threshold.learned && std::ranges::any_of(a_.cross.layers, binarises)) {
      add("decoder.cross_attn.k_threshold", {a_.model_dim});
    }
    for (size_t i = 0; i < a_.decoder_layers(); ++i) {
      const std::string layer = fmt::format("decoder.layers.{}.", i);
      add_attention(layer, Role::decoder_self, i);
      add_attention(layer, Role::cross, i);
      add_ffn(layer);
    }
    if (a_.norm == NormPlacement::pre) add_norm("decoder.layer_norm");
    return std::move(tensors_);
  }

 private:
  void add(std::string name, std::initializer_list<size_t> sizes) {
    tensors_.push_back({std::move(name), Dtype::f32, Shape(sizes)});
  }

  void add_linear(const std::string& name, size_t in, size_t out) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }

  void add_norm(const std::string& name) {
    add(name + ".weight", {a_.model_dim});
    add(name + ".bias", {a_.model_dim});
  }

  void add_embeddings() {
    add(source_embedding_name(a_), {a_.source_vocab, a_.model_dim});
    if (a_.embeddings == EmbeddingSharing::all) return;
    add(target_embedding_name(a_), {a_.target_vocab, a_.model_dim});
    if (a_.embeddings == EmbeddingSharing::target) return;
    add("decoder.output_projection.weight", {a_.target_vocab, a_.model_dim});
  }

  void add_ffn(const std::string& layer) {
    add_linear(layer + "fc1", a_.model_dim, a_.ffn_dim);
    add_linear(layer + "fc2", a_.ffn_dim, a_.model_dim);
    add_norm(layer + "ffn_layer_norm");
  }

  void add_attention(const std::string& layer, Role role, size_t index) {
    const Attention& attention = a_.attention(role);
    const std::string name = layer + (role == Role::cross ? "cross_attn" : "self_attn");
    add_scores(name + ".", role, attention.layers[index]);
    add_linear(name + ".v_proj", a_.model_dim, a_.attention_dim);
    add_linear(name + ".out_proj", a_.attention_dim, a_.model_dim);
    add_norm(name + "_layer_norm");
  }

  // What the scores come from.
  void add_scores(const std::string& prefix, Role role, Mechanism mechanism) {
    if (mechanism == Mechanism::dense) {
      add(prefix + "w1.weight", {a_.qk_dim, a_.model_dim});
      add(prefix + "w2.weight", {a_.heads, a_.max_length, a_.qk_head_dim()});
      return;
    }
    if (mechanism == Mechanism::randinit) {
      add(prefix + "score_table", {a_.heads, a_.max_length, a_.max_length});
      return;
    }
    add_linear(prefix + "q_proj", a_.model_dim, a_.qk_dim);
    add_linear(prefix + "k_proj", a_.model_dim, a_.qk_dim);
    if (a_.attention(role).scale.kind == ScaleKind::learned)
      add(prefix + "score_scale", {a_.heads});
    if (a_.threshold.learned && binarises(mechanism)) {
      add(prefix + (role == Role::cross ? "q_threshold" : "threshold"), {a_.model_dim});
    }
  }

  const Architecture& a_;
  std::vector<TensorSpec> tensors_;
};

}  // namespace

std::vector<TensorSpec> expected_tensors(const Architecture& architecture) {
  return TensorList(architecture).build();
}

uint64_t parameter_count(const Architecture& architecture) {
  uint64_t count = 0;
  for (const TensorSpec& tensor : expected_tensors(architecture)) {
    count += *tensor_bytes(tensor.dtype, tensor.shape) / dtype_bytes(tensor.dtype);
  }
  return count;
}

std::string source_embedding(const Architecture& architecture) {
  return architecture.embeddings == EmbeddingSharing::all ? "shared" : "encoder.embed_tokens";
}

std::string target_embedding(const Architecture& architecture) {
  return architecture.embeddings == EmbeddingSharing::all ? "shared" : "decoder.embed_tokens";
}

std::string source_embedding_name(const Architecture& architecture) {
  return source_embedding(architecture) + ".weight";
}

std::string target_embedding_name(const Architecture& architecture) {
  return target_embedding(architecture) + ".weight";
}

}  // namespace eatt
