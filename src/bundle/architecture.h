#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/mechanisms.h"
#include "bundle/place.h"

namespace eatt {

class JsonNode;
struct JsonOrigin;

// What raw scores (dot products or negative distances) are divided by before the softmax. Without
// effect on dense and randinit, which have no such scores.
enum class ScaleKind {
  head_width,  // √(qk_dim / heads): the paper
  fixed,       // `divisor`
  learned,     // a trained factor per head, the tensor `score_scale`, above 0
  folded,      // nothing: the weights and biases of Q (and of K, for distances) carry it already
};

struct ScoreScale {
  ScaleKind kind = ScaleKind::head_width;
  double divisor = 1;  // Of `fixed`; where `learned` started, as a divisor.

  bool operator==(const ScoreScale&) const = default;
};

struct Attention {
  std::vector<Mechanism> layers;  // One per layer.
  ScoreScale scale;

  bool operator==(const Attention&) const = default;
};

// τ of the codes f(x), for the mechanisms that select rows of weights. Binary codes are 1 where
// x > τ, else 0; signed codes (Architecture::code_levels) are 0 where |x| ≤ τ.
struct Threshold {
  bool learned = false;  // Per feature of the input that is binarised, the `threshold` tensors.
  double value = 1.0;    // Where learned, the value it started from.

  bool operator==(const Threshold&) const = default;
};

inline constexpr size_t kMostCodeLevels = 6;
inline constexpr double kLeastSignedThreshold = 1e-3;  // Learned ones are used as at least this.

enum class NormPlacement { pre, post };

// Which of source embedding, target embedding and output layer are one matrix.
enum class EmbeddingSharing {
  none,
  target,  // target embedding = output layer
  all,     // all three; needs equal vocabularies
};

// How the weights are stored. What a precision does to names, types and shapes of the tensors is
// part of the format: see expected_tensors.h.
enum class Precision { float32, int8 };
inline constexpr std::array<std::string_view, 2> kPrecisionNames = {"float32", "int8"};
constexpr std::string_view precision_name(Precision precision) {
  return kPrecisionNames[static_cast<size_t>(precision)];
}

// Everything that decides which tensors a model has and what they mean. The defaults are
// Transformer-base with the paper's attention. Dropout and the like belong to training, not here.
struct Architecture {
  size_t model_dim = 512;  // d, even
  size_t heads = 8;
  size_t ffn_dim = 2048;
  size_t attention_dim = 512;  // Inner width of V, all heads together.
  size_t qk_dim = 512;         // Inner width of Q and K, all heads together; of W1 in dense.
  size_t max_length = 256;     // Longest sentence of dense and randinit; no limit to the others.
  size_t source_vocab = 0;     // Rows of the embeddings; to be set.
  size_t target_vocab = 0;
  Attention encoder_self = {std::vector(6, kPaperMechanism), {}};
  Attention decoder_self = {std::vector(6, kPaperMechanism), {}};
  Attention cross = {std::vector(6, kPaperMechanism), {}};
  Threshold threshold;
  // 0: binary codes, as in the paper. L > 0: signed codes, x / 2τ rounded to the nearest integer
  // from −L to L, times code_unit(); L = 1 are ternary codes.
  size_t code_levels = 0;
  NormPlacement norm = NormPlacement::pre;
  double norm_epsilon = 1e-5;
  EmbeddingSharing embeddings = EmbeddingSharing::none;

  size_t encoder_layers() const { return encoder_self.layers.size(); }
  size_t decoder_layers() const { return decoder_self.layers.size(); }
  size_t qk_head_dim() const { return qk_dim / heads; }
  size_t value_head_dim() const { return attention_dim / heads; }
  const Attention& attention(Role role) const;

  bool operator==(const Architecture&) const = default;
};

// What the code 1 is worth: 2τ for signed codes, so that codes are about as large as what they
// stand for; of learned thresholds the value they started from.
double code_unit(const Architecture& architecture);

// The divisor of a role's raw scores; 1 where it is folded or learned (the factor is a tensor).
double score_divisor(const Architecture& architecture, Role role);

// A learned factor of scores is used as at least this: distances need it above 0.
inline constexpr double kLeastScoreScale = 1e-4;

// The architecture of a model whose projections have taken the scales of all scores.
Architecture with_folded_scales(Architecture architecture);

// True if some layer bounds the length: then no sentence may be longer than max_length.
bool has_length_limit(const Architecture& architecture);

// Throws an Error that starts with `where` ("config.json: architecture") and names the field.
void validate(const Architecture& architecture, const std::string& where);

// The attention of the paper, that of the authors' released file, or the best we know: the paper's
// with signed codes (docs/results/quality.md). For an architecture whose model_dim, heads and
// numbers of layers are set: eatt everywhere, pre-norm, and the preset's codes, threshold, widths,
// scales and layer-norm epsilon.
enum class Preset { paper, released, best };
inline constexpr std::array<std::string_view, 3> kPresetNames = {"paper", "released", "best"};
void apply_preset(Preset preset, Architecture& architecture);

// The integers of an architecture with their names and bounds: one list for validate() and for
// the JSON reader and writer.
struct WidthField {
  std::string_view name;
  size_t Architecture::*field;
  size_t most;  // The least is 1.
};
inline constexpr std::array<WidthField, 8> kWidthFields = {{
    {"model_dim", &Architecture::model_dim, 65536},
    {"heads", &Architecture::heads, 1024},
    {"ffn_dim", &Architecture::ffn_dim, 1 << 20},
    {"attention_dim", &Architecture::attention_dim, 65536},
    {"qk_dim", &Architecture::qk_dim, 65536},
    {"max_length", &Architecture::max_length, 65536},
    {"source_vocab", &Architecture::source_vocab, 1 << 24},
    {"target_vocab", &Architecture::target_vocab, 1 << 24},
}};
inline constexpr size_t kMaxLayers = 1000;

// The object `architecture` of config.json. Reading refuses unknown keys: they would change what
// the weights mean. The result is validated.
Architecture read_architecture(const JsonNode& node, const JsonOrigin& origin);
nlohmann::ordered_json print_architecture(const Architecture& architecture);

}  // namespace eatt
