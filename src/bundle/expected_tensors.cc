#include "bundle/expected_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

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

namespace {

// Gathers the parts of one architecture.
class PartList {
 public:
  explicit PartList(const Architecture& architecture) : a_(architecture) {}

  std::vector<Int8Part> build() {
    add_embeddings();
    for (size_t i = 0; i < a_.encoder_layers(); ++i) {
      const std::string layer = fmt::format("encoder.layers.{}.", i);
      add_attention(layer, Role::encoder_self, i);
      add_ffn(layer);
    }
    for (size_t i = 0; i < a_.decoder_layers(); ++i) {
      const std::string layer = fmt::format("decoder.layers.{}.", i);
      add_attention(layer, Role::decoder_self, i);
      add_attention(layer, Role::cross, i);
      add_ffn(layer);
    }
    return std::move(parts_);
  }

 private:
  void add(const std::string& prefix, const std::string& name, uint64_t in, uint64_t out) {
    parts_.push_back(make_int8_part(prefix, name, in, {{name, out}}));
  }

  void add_embedding(const std::string& name, uint64_t vocab) {
    add(name, "", a_.model_dim, vocab);
    parts_.back().has_bias = false;
  }

  void add_embeddings() {
    add_embedding(source_embedding(a_), a_.source_vocab);
    if (a_.embeddings == EmbeddingSharing::all) return;
    add_embedding(target_embedding(a_), a_.target_vocab);
    if (a_.embeddings == EmbeddingSharing::target) return;
    add_embedding("decoder.output_projection", a_.target_vocab);
  }

  void add_ffn(const std::string& layer) {
    add(layer, "fc1", a_.model_dim, a_.ffn_dim);
    add(layer, "fc2", a_.ffn_dim, a_.model_dim);
  }

  void add_attention(const std::string& layer, Role role, size_t index) {
    const std::string name = layer + (role == Role::cross ? "cross_attn" : "self_attn");
    std::ranges::move(int8_score_parts(a_, {name, role, a_.attention(role).layers[index]}),
                      std::back_inserter(parts_));
    add(name + ".", "out_proj", a_.attention_dim, a_.model_dim);
  }

  const Architecture& a_;
  std::vector<Int8Part> parts_;
};

uint64_t rounded_up(uint64_t count, uint64_t step) { return (count + step - 1) / step * step; }

void add_product(const Int8Part& part, std::vector<TensorSpec>& tensors) {
  const uint64_t columns = rounded_up(part.out, kInt8Columns);
  const uint64_t groups = rounded_up(part.in, kInt8Inputs) / kInt8Inputs;
  tensors.push_back({part.name + ".panels",
                     Dtype::i8,
                     {columns / kInt8Columns, groups, kInt8Columns, kInt8Inputs}});
  tensors.push_back({part.name + ".sums", Dtype::i32, {columns}});
  tensors.push_back({part.name + ".scales", Dtype::f32, {part.out}});
  if (part.has_bias) tensors.push_back({part.name + ".bias", Dtype::f32, {part.out}});
}

void add_selection(const Int8Part& part, uint64_t heads, std::vector<TensorSpec>& tensors) {
  tensors.push_back(
      {part.name + ".packed", Dtype::u8, {part.in * rounded_up(part.out, kInt8Columns)}});
  tensors.push_back({part.name + ".bias", Dtype::i16, {part.out}});
  tensors.push_back({part.name + ".scales", Dtype::f32, {heads}});
}

std::vector<TensorSpec> expected_int8_tensors(const Architecture& architecture) {
  std::vector<TensorSpec> tensors;
  for (const Int8Part& part : int8_parts(architecture)) {
    if (part.is_selection) {
      add_selection(part, architecture.heads, tensors);
    } else {
      add_product(part, tensors);
    }
  }
  for (TensorSpec& kept : int8_kept_tensors(architecture)) tensors.push_back(std::move(kept));
  return tensors;
}

}  // namespace

Int8Part make_int8_part(const std::string& prefix, const std::string& name, uint64_t in,
                        std::vector<Int8Part::Source> sources) {
  Int8Part part;
  part.name = prefix + name;
  part.sources = std::move(sources);
  part.in = in;
  for (Int8Part::Source& source : part.sources) {
    source.name = prefix + source.name;
    part.out += source.out;
  }
  return part;
}

std::vector<Int8Part> int8_parts(const Architecture& architecture) {
  return PartList(architecture).build();
}

std::vector<TensorSpec> int8_kept_tensors(const Architecture& architecture) {
  std::set<std::string> replaced;
  for (const Int8Part& part : int8_parts(architecture)) {
    for (const Int8Part::Source& source : part.sources) {
      replaced.insert(source.name + ".weight");
      replaced.insert(source.name + ".bias");
    }
  }
  std::vector<TensorSpec> kept = expected_tensors(with_folded_scales(architecture));
  std::erase_if(kept, [&](const TensorSpec& spec) { return replaced.contains(spec.name); });
  return kept;
}

std::vector<TensorSpec> expected_tensors(const Architecture& architecture, Precision precision) {
  return precision == Precision::int8 ? expected_int8_tensors(architecture)
                                      : expected_tensors(architecture);
}

}  // namespace eatt
