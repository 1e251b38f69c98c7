#include "bundle/int8_parts.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace eatt {
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
  // A source is "q_proj" with its outputs; names are put after `prefix`.
  using Sources = std::vector<std::pair<const char*, uint64_t>>;

  Int8Part& add(const std::string& prefix, const std::string& name, uint64_t in,
                const Sources& sources) {
    Int8Part& part = parts_.emplace_back();
    part.name = prefix + name;
    part.in = in;
    for (const auto& [source, out] : sources) {
      part.sources.push_back({prefix + source, out});
      part.out += out;
    }
    return part;
  }

  void add_embedding(const std::string& name, uint64_t vocab) {
    add(name, "", a_.model_dim, {{"", vocab}}).has_bias = false;
  }

  void add_embeddings() {
    add_embedding(source_embedding(a_), a_.source_vocab);
    if (a_.embeddings == EmbeddingSharing::all) return;
    add_embedding(target_embedding(a_), a_.target_vocab);
    if (a_.embeddings == EmbeddingSharing::target) return;
    add_embedding("decoder.output_projection", a_.target_vocab);
  }

  void add_ffn(const std::string& layer) {
    add(layer, "fc1", a_.model_dim, {{"fc1", a_.ffn_dim}});
    add(layer, "fc2", a_.ffn_dim, {{"fc2", a_.model_dim}});
  }

  void add_attention(const std::string& layer, Role role, size_t index) {
    const Mechanism mechanism = a_.attention(role).layers[index];
    const std::string prefix = layer + (role == Role::cross ? "cross_attn." : "self_attn.");
    const size_t first = parts_.size();
    if (binarises(mechanism)) {
      add_selections(prefix, role);
    } else if (has_queries_and_keys(mechanism)) {
      add_projections(prefix, role);
    } else {
      if (mechanism == Mechanism::dense) {
        add(prefix, "w1", a_.model_dim, {{"w1", a_.qk_dim}}).has_bias = false;
      }
      add_values(prefix);
    }
    for (size_t i = first; i < parts_.size(); ++i) {
      parts_[i].role = role;
      parts_[i].mechanism = mechanism;
      parts_[i].attention = prefix;
    }
    add(prefix, "out_proj", a_.attention_dim, {{"out_proj", a_.model_dim}});
  }

  void add_values(const std::string& prefix) {
    add(prefix, "v_proj", a_.model_dim, {{"v_proj", a_.attention_dim}});
  }

  void add_projections(const std::string& prefix, Role role) {
    const std::pair query{"q_proj", a_.qk_dim}, key{"k_proj", a_.qk_dim},
        value{"v_proj", a_.attention_dim};
    if (role == Role::cross) {
      add(prefix, "q_proj", a_.model_dim, {query});
      add(prefix, "kv_proj", a_.model_dim, {key, value});
    } else {
      add(prefix, "qkv_proj", a_.model_dim, {query, key, value});
    }
  }

  // What is computed for a whole sentence at once lies in panels, what grows piece by piece in
  // rows.
  void add_selections(const std::string& prefix, Role role) {
    const std::pair query{"q_proj", a_.qk_dim}, key{"k_proj", a_.qk_dim};
    const auto add_selection = [&](const char* name, const Sources& sources,
                                   SelectionLayout layout) {
      Int8Part& part = add(prefix, name, a_.model_dim, sources);
      part.is_selection = true;
      part.layout = layout;
    };
    if (role == Role::cross) {
      add_selection("q_select", {query}, SelectionLayout::rows);
      add_selection("k_select", {key}, SelectionLayout::panels);
    } else {
      add_selection("qk_select", {query, key},
                    role == Role::encoder_self ? SelectionLayout::panels : SelectionLayout::rows);
    }
    add_values(prefix);
  }

  const Architecture& a_;
  std::vector<Int8Part> parts_;
};

}  // namespace

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

}  // namespace eatt
