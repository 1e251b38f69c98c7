#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "bundle/architecture.h"

namespace eatt {
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
                   "source_vocab", "target_vocab", "encoder", "decoder", "threshold", "norm",
                   "embeddings"});
  Architecture a;
  for (const WidthField& width : kWidthFields) {
    a.*width.field = node[width.name].integer(1, width.most);
  }
  read_stacks(node, a);

  const JsonNode threshold = node["threshold"];
  threshold.allow_only({"kind", "value"});
  a.threshold.learned = threshold["kind"].choice(kThresholdNames) == 1;
  a.threshold.value = threshold["value"].number();

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
  object["norm"] = {{"placement", kNormNames[static_cast<size_t>(a.norm)]},
                    {"epsilon", a.norm_epsilon}};
  object["embeddings"] = kSharingNames[static_cast<size_t>(a.embeddings)];
  return object;
}

}  // namespace eatt
