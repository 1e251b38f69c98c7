#include "bundle/mechanisms.h"

#include <algorithm>

#include "bundle/architecture.h"
#include "bundle/expected_tensors.h"
#include "bundle/int8_parts.h"

namespace eatt {
namespace {

struct Traits {
  bool has_queries = true;
  bool has_keys = true;
  bool binarises = false;
  bool scores_by_distance = false;
  bool bounds_length = false;
};

constexpr Traits traits(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::vanilla:
      return {};
    case Mechanism::eatt:
      return {.binarises = true, .scores_by_distance = true};
    case Mechanism::selection:
      return {.binarises = true};
    case Mechanism::l1:
      return {.scores_by_distance = true};
    case Mechanism::dense:
      return {.has_keys = false, .bounds_length = true};
    case Mechanism::randinit:
      break;
  }
  return {.has_queries = false, .has_keys = false, .bounds_length = true};
}

TensorSpec floats(std::string name, Shape shape) {
  return {std::move(name), Dtype::f32, std::move(shape)};
}

// What is computed for a whole sentence at once lies in panels, what grows piece by piece in rows.
SelectionLayout layout_of(Role role) {
  return role == Role::encoder_self ? SelectionLayout::panels : SelectionLayout::rows;
}

Int8Part selection(Int8Part part, SelectionLayout layout) {
  part.is_selection = true;
  part.layout = layout;
  return part;
}

}  // namespace

std::string_view mechanism_name(Mechanism mechanism) {
  return kMechanismNames[static_cast<size_t>(mechanism)];
}

std::optional<Mechanism> mechanism_named(std::string_view name) {
  const auto found = std::ranges::find(kMechanismNames, name);
  if (found == kMechanismNames.end()) return std::nullopt;
  return static_cast<Mechanism>(found - kMechanismNames.begin());
}

bool has_queries(Mechanism mechanism) { return traits(mechanism).has_queries; }
bool has_queries_and_keys(Mechanism mechanism) { return traits(mechanism).has_keys; }
bool binarises(Mechanism mechanism) { return traits(mechanism).binarises; }
bool scores_by_distance(Mechanism mechanism) { return traits(mechanism).scores_by_distance; }
bool has_integer_scores(Mechanism mechanism) {
  return traits(mechanism).binarises && traits(mechanism).scores_by_distance;
}
bool bounds_length(Mechanism mechanism) { return traits(mechanism).bounds_length; }

std::vector<TensorSpec> score_tensors(const Architecture& a, const NamedAttention& attention) {
  const std::string prefix = attention.name + ".";
  const Traits has = traits(attention.mechanism);
  if (!has.has_queries) {
    return {floats(prefix + "score_table", {a.heads, a.max_length, a.max_length})};
  }
  if (!has.has_keys) {
    return {floats(prefix + "w1.weight", {a.qk_dim, a.model_dim}),
            floats(prefix + "w2.weight", {a.heads, a.max_length, a.qk_head_dim()})};
  }
  std::vector<TensorSpec> tensors;
  for (const char* name : {"q_proj", "k_proj"}) {
    tensors.push_back(floats(prefix + name + ".weight", {a.qk_dim, a.model_dim}));
    tensors.push_back(floats(prefix + name + ".bias", {a.qk_dim}));
  }
  if (a.attention(attention.role).scale.kind == ScaleKind::learned) {
    tensors.push_back(floats(prefix + "score_scale", {a.heads}));
  }
  if (a.threshold.learned && has.binarises) {
    const char* name = attention.role == Role::cross ? "q_threshold" : "threshold";
    tensors.push_back(floats(prefix + name, {a.model_dim}));
  }
  return tensors;
}

std::vector<TensorSpec> shared_cross_tensors(const Architecture& a) {
  if (!a.threshold.learned || !std::ranges::any_of(a.cross.layers, binarises)) return {};
  return {floats("decoder.cross_attn.k_threshold", {a.model_dim})};
}

std::vector<Int8Part> int8_score_parts(const Architecture& a, const NamedAttention& attention) {
  const auto part = [&](const char* name, std::vector<Int8Part::Source> sources) {
    Int8Part made = make_int8_part(attention.name + ".", name, a.model_dim, std::move(sources));
    made.role = attention.role;
    made.mechanism = attention.mechanism;
    made.attention = attention.name + ".";
    return made;
  };
  const bool cross = attention.role == Role::cross;
  const Int8Part::Source query{"q_proj", a.qk_dim}, key{"k_proj", a.qk_dim},
      value{"v_proj", a.attention_dim};
  const Traits has = traits(attention.mechanism);
  if (has.binarises) {
    if (!cross) {
      return {selection(part("qk_select", {query, key}), layout_of(attention.role)),
              part("v_proj", {value})};
    }
    return {selection(part("q_select", {query}), SelectionLayout::rows),
            selection(part("k_select", {key}), SelectionLayout::panels), part("v_proj", {value})};
  }
  if (has.has_keys) {
    if (!cross) return {part("qkv_proj", {query, key, value})};
    return {part("q_proj", {query}), part("kv_proj", {key, value})};
  }
  std::vector<Int8Part> parts;
  if (has.has_queries) {
    parts.push_back(part("w1", {{"w1", a.qk_dim}}));
    parts.back().has_bias = false;
  }
  parts.push_back(part("v_proj", {value}));
  return parts;
}

}  // namespace eatt
