#include "bundle/expected_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
    add_all(shared_cross_tensors(a_));
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

  void add_all(std::vector<TensorSpec> tensors) {
    std::ranges::move(tensors, std::back_inserter(tensors_));
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
    const std::string name = layer + (role == Role::cross ? "cross_attn" : "self_attn");
    add_all(score_tensors(a_, {name, role, a_.attention(role).layers[index]}));
    add_linear(name + ".v_proj", a_.model_dim, a_.attention_dim);
    add_linear(name + ".out_proj", a_.attention_dim, a_.model_dim);
    add_norm(name + "_layer_norm");
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
