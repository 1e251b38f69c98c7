#include "bundle/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"

namespace eatt {

std::string to_text(const Place& place) {
  std::string text(name_of(place.stack));
  if (place.layer > 0) text += fmt::format(" layer {}", place.layer);
  if (place.sub_layer != SubLayer::none) text += fmt::format(", {}", name_of(place.sub_layer));
  return text;
}

namespace {

// "WHERE.FIELD: found …, expected …", unless it holds.
void check(bool holds, const std::string& where, std::string_view field, const std::string& found,
           const std::string& expected) {
  if (holds) return;
  throw Error(fmt::format("{}.{}: found {}, expected {}; correct the architecture", where, field,
                          found, expected));
}

void check_layers(const Architecture& a, const std::string& where) {
  const auto check_count = [&](std::string_view field, size_t layers) {
    check(layers >= 1 && layers <= kMaxLayers, where, field, std::to_string(layers),
          fmt::format("an integer from 1 to {}", kMaxLayers));
  };
  check_count("encoder.layers", a.encoder_self.layers.size());
  check_count("decoder.layers", a.decoder_self.layers.size());
  check(a.cross.layers.size() == a.decoder_self.layers.size(), where,
        "decoder.cross_attention.mechanisms", fmt::format("{} layers", a.cross.layers.size()),
        fmt::format("{}, as many as the decoder has", a.decoder_self.layers.size()));
}

void check_number(double value, double low, double high, const std::string& where,
                  std::string_view field) {
  check(value >= low && value <= high, where, field, fmt::format("{}", value),
        fmt::format("a number from {} to {}", low, high));
}

}  // namespace

const Attention& Architecture::attention(Role role) const {
  switch (role) {
    case Role::encoder_self:
      return encoder_self;
    case Role::decoder_self:
      return decoder_self;
    case Role::cross:
      break;
  }
  return cross;
}

double code_unit(const Architecture& architecture) {
  return architecture.code_levels == 0 ? 1 : 2 * architecture.threshold.value;
}

double score_divisor(const Architecture& architecture, Role role) {
  const ScoreScale& scale = architecture.attention(role).scale;
  if (scale.kind == ScaleKind::head_width)
    return std::sqrt(static_cast<double>(architecture.qk_head_dim()));
  return scale.kind == ScaleKind::fixed ? scale.divisor : 1.0;
}

Architecture with_folded_scales(Architecture architecture) {
  for (Attention* role :
       {&architecture.encoder_self, &architecture.decoder_self, &architecture.cross}) {
    role->scale = {.kind = ScaleKind::folded};
  }
  return architecture;
}

bool has_length_limit(const Architecture& architecture) {
  return std::ranges::any_of(kRoles, [&](Role role) {
    return std::ranges::any_of(architecture.attention(role).layers, bounds_length);
  });
}

void validate(const Architecture& a, const std::string& where) {
  for (const WidthField& width : kWidthFields) {
    const size_t value = a.*width.field;
    check(value >= 1 && value <= width.most, where, width.name, std::to_string(value),
          fmt::format("an integer from 1 to {}", width.most));
  }
  check(a.model_dim % 2 == 0, where, "model_dim", std::to_string(a.model_dim),
        "an even number, since positions are pairs of a sine and a cosine");
  check(a.attention_dim % a.heads == 0, where, "attention_dim", std::to_string(a.attention_dim),
        fmt::format("a multiple of heads, {}", a.heads));
  check(a.qk_dim % a.heads == 0, where, "qk_dim", std::to_string(a.qk_dim),
        fmt::format("a multiple of heads, {}", a.heads));
  check_layers(a, where);
  check(a.code_levels <= kMostCodeLevels, where, "code_levels", std::to_string(a.code_levels),
        fmt::format("an integer from 0 to {}", kMostCodeLevels));
  const double least_threshold = a.code_levels == 0 ? -1e6 : kLeastSignedThreshold;
  check_number(a.threshold.value, least_threshold, 1e6, where, "threshold.value");
  check_number(a.norm_epsilon, 1e-12, 0.1, where, "norm.epsilon");
  check_number(a.encoder_self.scale.divisor, 1e-6, 1e6, where,
               "encoder.self_attention.score_scale.divisor");
  check_number(a.decoder_self.scale.divisor, 1e-6, 1e6, where,
               "decoder.self_attention.score_scale.divisor");
  check_number(a.cross.scale.divisor, 1e-6, 1e6, where,
               "decoder.cross_attention.score_scale.divisor");
  check(a.embeddings != EmbeddingSharing::all || a.source_vocab == a.target_vocab, where,
        "embeddings",
        fmt::format("\"all\" with vocabularies of {} and {}", a.source_vocab, a.target_vocab),
        "two vocabularies of one size, or \"target\" or \"none\"");
}

void apply_preset(Preset preset, Architecture& a) {
  const bool released = preset == Preset::released;
  a.attention_dim = a.model_dim;
  // The released file projects queries and keys to one head's width for all heads together.
  const size_t heads = std::max<size_t>(a.heads, 1);  // validate() has the sentence for fewer.
  a.qk_dim = released ? a.model_dim / heads : a.model_dim;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    std::ranges::fill(attention->layers, kPaperMechanism);
    attention->scale = {};
  }
  // There, self-attention divides by √(d/h²) (our head_width), cross-attention by √(d/h).
  if (released) {
    a.cross.scale = {ScaleKind::fixed,
                     std::sqrt(static_cast<double>(a.model_dim) / static_cast<double>(heads))};
  }
  a.threshold = {.learned = false, .value = released ? 0.0 : 1.0};
  a.code_levels = 0;
  if (preset == Preset::best) {
    a.code_levels = 6;
    a.threshold.value = 0.25;
  }
  a.norm = NormPlacement::pre;
  a.norm_epsilon = released ? 1e-6 : 1e-5;
}

namespace {

using nlohmann::ordered_json;

// In the order of the enums.
constexpr std::array<std::string_view, 4> kScaleNames = {"head_width", "fixed", "learned",
                                                         "folded"};
constexpr std::array<std::string_view, 2> kThresholdNames = {"fixed", "learned"};
constexpr std::array<std::string_view, 2> kNormNames = {"pre", "post"};
constexpr std::array<std::string_view, 3> kSharingNames = {"none", "target", "all"};

bool has_divisor(ScaleKind kind) { return kind == ScaleKind::fixed || kind == ScaleKind::learned; }

ScoreScale read_scale(const JsonNode& node) {
  ScoreScale scale;
  scale.kind = static_cast<ScaleKind>(node["kind"].choice(kScaleNames));
  if (has_divisor(scale.kind)) {
    node.allow_only({"kind", "divisor"});
    scale.divisor = node["divisor"].number();
  } else {
    node.allow_only({"kind"});
  }
  return scale;
}

Attention read_attention(const JsonNode& node, size_t layers) {
  node.allow_only({"mechanisms", "score_scale"});
  Attention attention;
  const JsonNode mechanisms = node["mechanisms"];
  for (const JsonNode& name : mechanisms.items()) {
    attention.layers.push_back(static_cast<Mechanism>(name.choice(kMechanismNames)));
  }
  if (attention.layers.size() != layers) {
    mechanisms.fail(fmt::format("one name for each of the {} layers", layers));
  }
  attention.scale = read_scale(node["score_scale"]);
  return attention;
}

void read_stacks(const JsonNode& node, Architecture& a) {
  const JsonNode encoder = node["encoder"];
  encoder.allow_only({"layers", "self_attention"});
  a.encoder_self =
      read_attention(encoder["self_attention"], encoder["layers"].integer(1, kMaxLayers));

  const JsonNode decoder = node["decoder"];
  decoder.allow_only({"layers", "self_attention", "cross_attention"});
  const uint64_t layers = decoder["layers"].integer(1, kMaxLayers);
  a.decoder_self = read_attention(decoder["self_attention"], layers);
  a.cross = read_attention(decoder["cross_attention"], layers);
}

ordered_json print_attention(const Attention& attention) {
  ordered_json names = ordered_json::array();
  for (const Mechanism mechanism : attention.layers) names.push_back(mechanism_name(mechanism));
  ordered_json scale = {{"kind", kScaleNames[static_cast<size_t>(attention.scale.kind)]}};
  if (has_divisor(attention.scale.kind)) scale["divisor"] = attention.scale.divisor;
  return {{"mechanisms", names}, {"score_scale", scale}};
}

}  // namespace

Architecture read_architecture(const JsonNode& node, const JsonOrigin& origin) {
  node.allow_only({"model_dim", "heads", "ffn_dim", "attention_dim", "qk_dim", "max_length",
                   "source_vocab", "target_vocab", "encoder", "decoder", "threshold", "code_levels",
                   "norm", "embeddings"});
  Architecture a;
  for (const WidthField& width : kWidthFields) {
    a.*width.field = node[width.name].integer(1, width.most);
  }
  read_stacks(node, a);

  const JsonNode threshold = node["threshold"];
  threshold.allow_only({"kind", "value"});
  a.threshold.learned = threshold["kind"].choice(kThresholdNames) == 1;
  a.threshold.value = threshold["value"].number();
  if (const auto levels = node.find("code_levels")) {
    a.code_levels = levels->integer(0, kMostCodeLevels);
  }

  const JsonNode norm = node["norm"];
  norm.allow_only({"placement", "epsilon"});
  a.norm = static_cast<NormPlacement>(norm["placement"].choice(kNormNames));
  a.norm_epsilon = norm["epsilon"].number();
  a.embeddings = static_cast<EmbeddingSharing>(node["embeddings"].choice(kSharingNames));
  validate(a, fmt::format("{}: {}", origin.file, node.path()));
  return a;
}

ordered_json print_architecture(const Architecture& a) {
  ordered_json object;
  for (const WidthField& width : kWidthFields) object[std::string(width.name)] = a.*width.field;
  object["encoder"] = {{"layers", a.encoder_layers()},
                       {"self_attention", print_attention(a.encoder_self)}};
  object["decoder"] = {{"layers", a.decoder_layers()},
                       {"self_attention", print_attention(a.decoder_self)},
                       {"cross_attention", print_attention(a.cross)}};
  object["threshold"] = {{"kind", kThresholdNames[a.threshold.learned ? 1 : 0]},
                         {"value", a.threshold.value}};
  // Only where they are signed: programs that do not know them must refuse the bundle, and read
  // all others.
  if (a.code_levels > 0) object["code_levels"] = a.code_levels;
  object["norm"] = {{"placement", kNormNames[static_cast<size_t>(a.norm)]},
                    {"epsilon", a.norm_epsilon}};
  object["embeddings"] = kSharingNames[static_cast<size_t>(a.embeddings)];
  return object;
}

}  // namespace eatt
