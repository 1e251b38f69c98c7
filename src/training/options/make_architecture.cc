#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "training/options/training_options.h"

namespace eatt {
namespace {

std::vector<Mechanism> mechanisms(const TrainingOptions& options, const std::string& role,
                                  int64_t layers) {
  return parse_mechanisms(role.empty() ? options.attention : role, static_cast<size_t>(layers));
}

double number(const std::string& text, std::string_view name) {
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == text.size() && !text.empty() && std::isfinite(value)) return value;
  throw UsageError(fmt::format("--{} is '{}'; expected a number, or preset", name, text));
}

void choose_scale(const TrainingOptions& options, Architecture& architecture) {
  if (options.score_scale == ScaleChoice::preset) return;
  const double head_width = std::sqrt(static_cast<double>(architecture.qk_head_dim()));
  for (Attention* role :
       {&architecture.encoder_self, &architecture.decoder_self, &architecture.cross}) {
    switch (options.score_scale) {
      case ScaleChoice::fixed:
      case ScaleChoice::learned:
        role->scale.kind =
            options.score_scale == ScaleChoice::fixed ? ScaleKind::fixed : ScaleKind::learned;
        role->scale.divisor = options.score_divisor > 0 ? options.score_divisor : head_width;
        break;
      default:
        role->scale = {};
    }
  }
}

}  // namespace

Architecture make_architecture(const TrainingOptions& options, size_t source_vocab,
                               size_t target_vocab) {
  Architecture a;
  a.model_dim = static_cast<size_t>(options.model_dim);
  a.heads = static_cast<size_t>(options.heads);
  a.ffn_dim = static_cast<size_t>(options.ffn_dim);
  a.encoder_self.layers = std::vector(static_cast<size_t>(options.enc_depth), Mechanism::eatt);
  a.decoder_self.layers = std::vector(static_cast<size_t>(options.dec_depth), Mechanism::eatt);
  a.cross.layers = a.decoder_self.layers;
  apply_preset(options.preset, a);  // Before what may override it.

  a.encoder_self.layers = mechanisms(options, options.encoder_self, options.enc_depth);
  a.decoder_self.layers = mechanisms(options, options.decoder_self, options.dec_depth);
  a.cross.layers = mechanisms(options, options.cross, options.dec_depth);
  if (options.attention_dim > 0) {
    a.attention_dim = static_cast<size_t>(options.attention_dim);
    if (options.preset == Preset::paper) a.qk_dim = a.attention_dim;
  }
  if (options.qk_dim > 0) a.qk_dim = static_cast<size_t>(options.qk_dim);
  a.max_length = static_cast<size_t>(options.max_length + 1);  // The end marker counts.
  a.source_vocab = source_vocab;
  a.target_vocab = target_vocab;
  a.norm = options.norm;
  if (options.norm_epsilon > 0) a.norm_epsilon = options.norm_epsilon;
  a.embeddings = options.tied_embeddings;
  if (options.threshold != "preset") a.threshold.value = number(options.threshold, "threshold");
  a.threshold.learned = options.learn_threshold;
  choose_scale(options, a);
  validate(a, "the model's options");
  return a;
}

}  // namespace eatt
