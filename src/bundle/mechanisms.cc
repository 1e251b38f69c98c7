#include "bundle/mechanisms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text/utf8.h"
#include "bundle/architecture.h"
#include "bundle/expected_tensors.h"

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

// Panels for what is computed for whole sentences, rows for what grows piece by piece.
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

namespace {

constexpr char kForm[] =
    "expected one mechanism for all layers, as in `eatt`, or layer ranges, as in "
    "`eatt:1-3,vanilla:4-6`";

// Reads the text from left to right and fills the layers.
class MechanismParser {
 public:
  MechanismParser(std::string_view text, size_t layers) : text_(text), layers_(layers) {}

  std::vector<Mechanism> parse() {
    if (const auto mechanism = mechanism_named(text_)) {
      return std::vector<Mechanism>(layers_.size(), *mechanism);
    }
    do {
      read_item();
    } while (take(','));
    if (at_ != text_.size()) fail("',' or the end");
    return finish();
  }

 private:
  // name ':' first [ '-' last ]
  void read_item() {
    const Mechanism mechanism = read_name();
    if (!take(':')) fail("':' and a range of layers");
    const size_t start = at_;
    const size_t first = read_layer();
    const size_t last = take('-') ? read_layer() : first;
    if (last < first) {
      at_ = start;
      fail(fmt::format("an ascending range, found {}-{}", first, last));
    }
    for (size_t layer = first; layer <= last; ++layer) {
      if (layers_[layer - 1]) {
        at_ = start;
        fail(fmt::format("each layer once, found layer {} twice", layer));
      }
      layers_[layer - 1] = mechanism;
    }
  }

  Mechanism read_name() {
    const std::string_view name = text_.substr(at_, text_.find_first_of(":,", at_) - at_);
    const auto mechanism = mechanism_named(name);
    if (!mechanism) {
      fail(fmt::format("one of {}, found {}", fmt::join(kMechanismNames, ", "), in_quotes(name)));
    }
    at_ += name.size();
    return *mechanism;
  }

  size_t read_layer() {
    const char* begin = text_.data() + at_;
    size_t layer = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), layer);
    if (error != std::errc() || layer < 1 || layer > layers_.size()) {
      fail(fmt::format("a layer from 1 to {}", layers_.size()));
    }
    at_ += static_cast<size_t>(end - begin);
    return layer;
  }

  bool take(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found;
    return found;
  }

  std::vector<Mechanism> finish() const {
    std::vector<Mechanism> mechanisms;
    for (size_t i = 0; i < layers_.size(); ++i) {
      if (!layers_[i]) {
        throw UsageError(fmt::format("{}: does not cover layer {} of {}; {}", in_quotes(text_),
                                     i + 1, layers_.size(), kForm));
      }
      mechanisms.push_back(*layers_[i]);
    }
    return mechanisms;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw UsageError(fmt::format("{}: at character {}: expected {}; {}", in_quotes(text_), at_ + 1,
                                 expected, kForm));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::optional<Mechanism>> layers_;
};

}  // namespace

std::vector<Mechanism> parse_mechanisms(std::string_view text, size_t layers) {
  expects(layers >= 1, "a stack has at least one layer");
  std::string compact(text);
  std::erase(compact, ' ');
  return MechanismParser(compact, layers).parse();
}

std::string print_mechanisms(std::span<const Mechanism> mechanisms) {
  expects(!mechanisms.empty(), "a stack has at least one layer");
  if (std::ranges::all_of(mechanisms, [&](Mechanism m) { return m == mechanisms.front(); })) {
    return std::string(mechanism_name(mechanisms.front()));
  }
  std::vector<std::string> runs;
  for (size_t first = 0; first < mechanisms.size();) {
    size_t last = first;
    while (last + 1 < mechanisms.size() && mechanisms[last + 1] == mechanisms[first]) ++last;
    const std::string_view name = mechanism_name(mechanisms[first]);
    runs.push_back(first == last ? fmt::format("{}:{}", name, first + 1)
                                 : fmt::format("{}:{}-{}", name, first + 1, last + 1));
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(runs, ","));
}

}  // namespace eatt
