#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/safetensors.h"

namespace eatt {

struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;

  bool operator==(const TensorSpec&) const = default;
};

// Every tensor of a float32 model of this architecture, in a fixed order: embeddings, encoder,
// decoder. Shared tensors appear once. The names are those of PyTorch modules:
//
//   shared.weight [vocab, model_dim]                             embeddings "all"
//   encoder.embed_tokens.weight [source_vocab, model_dim]        "target" and "none"
//   decoder.embed_tokens.weight [target_vocab, model_dim]        "target" and "none"
//   decoder.output_projection.weight [target_vocab, model_dim]   "none"
//   {encoder,decoder}.layers.N.self_attn.…                       attention, below
//   decoder.layers.N.cross_attn.…
//   ….layers.N.{self_attn,cross_attn,ffn}_layer_norm.{weight,bias} [model_dim]
//   ….layers.N.fc1.weight [ffn_dim, model_dim]   fc1.bias [ffn_dim]
//   ….layers.N.fc2.weight [model_dim, ffn_dim]   fc2.bias [model_dim]
//   {encoder,decoder}.layer_norm.{weight,bias} [model_dim]       pre-norm: after the last layer
//   decoder.cross_attn.k_threshold [model_dim]                   learned τ, some cross binarizes
//
// and of an attention
//   v_proj.weight [attention_dim, model_dim]     v_proj.bias [attention_dim]
//   out_proj.weight [model_dim, attention_dim]   out_proj.bias [model_dim]
//   {q,k}_proj.weight [qk_dim, model_dim]        {q,k}_proj.bias [qk_dim]   all but dense, randinit
//   score_scale [heads]                              where the scale is learned (same mechanisms)
//   threshold [model_dim]                            learned τ, self-attention: X gives Q and K
//   q_threshold [model_dim]                          learned τ, cross-attention: for Q
//   w1.weight [qk_dim, model_dim]                    dense
//   w2.weight [heads, max_length, qk_dim / heads]    dense
//   score_table [heads, max_length, max_length]      randinit: [head, query, key]
//
// A matrix is [out, in], as in torch.nn.Linear, whatever the mechanism: y = x·Wᵀ + b. So a vanilla
// model can start an eatt one tensor by tensor; the rows of the paper's Wq that a binary input
// selects are the columns of q_proj.weight. The keys of all cross-attentions read one binarized
// encoder output, hence the one k_threshold of the decoder.
std::vector<TensorSpec> expected_tensors(const Architecture& architecture);

// Every tensor of a model of this precision. Those of int8 fall into
//   X.panels I8 [⌈out/64⌉, ⌈in/4⌉, 64, 4]   X.sums I32 [⌈out/64⌉·64]   X.scales F32 [out]
//   X.bias F32 [out]                         a product X of int8_parts(), where it has a bias
//   S.packed U8 [in·⌈out/64⌉·64]   S.bias I16 [out]   S.scales F32 [heads]      a selection S
// and int8_kept_tensors(). There is no tensor for a scale that is not folded.
std::vector<TensorSpec> expected_tensors(const Architecture& architecture, Precision precision);

// Elements in all tensors of the float32 model.
uint64_t parameter_count(const Architecture& architecture);

// What the embeddings are called, shared or not: "encoder.embed_tokens". The tensors of a float32
// model are …".weight".
std::string source_embedding(const Architecture& architecture);
std::string target_embedding(const Architecture& architecture);
std::string source_embedding_name(const Architecture& architecture);
std::string target_embedding_name(const Architecture& architecture);

// How the weights of a selection are laid out: in panels of 256 columns, for many rows of codes at
// once, or all columns of an input together, for a few.
enum class SelectionLayout { panels, rows };

// A matrix of an int8 model and the linear maps of the float32 model that it consists of. Maps that
// read the same input are one, their outputs side by side.
struct Int8Part {
  struct Source {
    std::string name;  // "encoder.layers.0.fc1": has the tensors .weight and .bias
    uint64_t out = 0;
  };

  std::string name;  // "encoder.layers.0.self_attn.qkv_proj": has .panels, .sums and so on
  std::vector<Source> sources;
  uint64_t in = 0;
  uint64_t out = 0;  // Of all sources.
  bool has_bias = true;

  // Of what belongs to the scores of an attention.
  bool is_selection = false;  // Else an ordinary product.
  SelectionLayout layout = SelectionLayout::panels;
  Role role = Role::encoder_self;
  Mechanism mechanism = kPaperMechanism;
  std::string attention;  // "encoder.layers.0.self_attn."; empty elsewhere.
};

// Columns that are packed together, and inputs of a column that are adjacent in a product's panels.
inline constexpr uint64_t kInt8Columns = 64;
inline constexpr uint64_t kInt8Inputs = 4;

// A matrix PREFIX + name of maps PREFIX + source.
Int8Part make_int8_part(const std::string& prefix, const std::string& name, uint64_t in,
                        std::vector<Int8Part::Source> sources);

// All matrices in a fixed order: embeddings, encoder, decoder.
std::vector<Int8Part> int8_parts(const Architecture& architecture);

// The tensors that an int8 model takes over from the float32 one as they are.
std::vector<TensorSpec> int8_kept_tensors(const Architecture& architecture);

}  // namespace eatt
