#include <algorithm>

#include "energy/ledger.h"
#include "energy/step_work.h"

namespace eatt::energy {
namespace {

constexpr uint64_t kFloatBytes = bytes_of(Number::fp32);

// Bytes of a model's weights, as its precision stores them.
class WeightBytes {
 public:
  WeightBytes(const Architecture& architecture, const StepWork& steps)
      : architecture_(architecture),
        steps_(steps),
        model_dim_(architecture_.model_dim),
        qk_dim_(architecture_.qk_dim),
        value_dim_(architecture_.attention_dim) {}

  uint64_t total() const {
    uint64_t bytes = embeddings();
    for (const Role role : kRoles) {
      for (const Mechanism mechanism : architecture_.attention(role).layers)
        bytes += attention(mechanism);
    }
    const size_t encoders = architecture_.encoder_layers();
    const size_t decoders = architecture_.decoder_layers();
    bytes += (encoders + decoders) * feed_forward();
    if (architecture_.norm == NormPlacement::pre) bytes += 2 * norm();
    if (std::ranges::any_of(architecture_.cross.layers, binarises)) bytes += threshold();
    return bytes;
  }

 private:
  uint64_t norm() const { return 2 * model_dim_ * kFloatBytes; }
  uint64_t threshold() const {
    return (architecture_.threshold.learned ? model_dim_ : 1) * kFloatBytes;
  }

  uint64_t embeddings() const {
    const auto matrix = [&](uint64_t vocab) {
      return steps_.product_bytes(model_dim_, vocab, /*has_bias=*/false);
    };
    switch (architecture_.embeddings) {
      case EmbeddingSharing::all:
        return matrix(architecture_.source_vocab);
      case EmbeddingSharing::target:
        return matrix(architecture_.source_vocab) + matrix(architecture_.target_vocab);
      case EmbeddingSharing::none:
        break;
    }
    return matrix(architecture_.source_vocab) + 2 * matrix(architecture_.target_vocab);
  }

  uint64_t attention(Mechanism mechanism) const {
    const size_t longest = architecture_.max_length;
    const size_t heads = architecture_.heads;
    uint64_t bytes = steps_.product_bytes(model_dim_, value_dim_, true) +
                     steps_.product_bytes(value_dim_, model_dim_, true);
    bytes += norm();
    if (binarises(mechanism)) return bytes + steps_.selection_bytes() + threshold();
    if (has_queries_and_keys(mechanism))
      return bytes + 2 * steps_.product_bytes(model_dim_, qk_dim_, true);
    if (has_queries(mechanism))
      return bytes + steps_.product_bytes(model_dim_, qk_dim_, false) +
             longest * qk_dim_ * kFloatBytes;
    return bytes + heads * longest * longest * kFloatBytes;
  }

  uint64_t feed_forward() const {
    const size_t f = architecture_.ffn_dim;
    return steps_.product_bytes(model_dim_, f, true) + steps_.product_bytes(f, model_dim_, true) +
           norm();
  }

  const Architecture& architecture_;
  const StepWork& steps_;
  uint64_t model_dim_, qk_dim_, value_dim_;
};

uint64_t cache_bytes(const Architecture& architecture, const StepWork& steps,
                     const Activity& activity) {
  const auto row = [&](Mechanism mechanism) {
    return steps.key_bytes(mechanism, Data::caches) + steps.value_bytes(Data::caches);
  };
  uint64_t bytes = 0;
  for (const Mechanism mechanism : architecture.decoder_self.layers)
    bytes += activity.most_cached_rows * row(mechanism);
  for (const Mechanism mechanism : architecture.cross.layers)
    bytes += activity.most_source_rows * row(mechanism);
  return bytes;
}

// Inputs and results of a product.
uint64_t product_activations(const StepWork& steps, uint64_t rows, uint64_t in, uint64_t out) {
  return rows * (steps.input_bytes(in) + out * kFloatBytes);
}

// The steps of one layer and the output layer, in bytes.
uint64_t activation_bytes(const Architecture& a, const StepWork& steps, const Activity& activity) {
  const size_t model_dim = a.model_dim;
  const size_t ffn_dim = a.ffn_dim;
  const size_t qk_dim = a.qk_dim;
  const size_t value_dim = a.attention_dim;
  const uint64_t rows = std::max(activity.most_source_rows, activity.most_rows);
  const uint64_t longest = activity.longest_source;
  const uint64_t scores = a.heads * longest * longest * kFloatBytes;
  return std::max(
      {3 * rows * model_dim * kFloatBytes,  // Residual: two in, one out.
       product_activations(steps, rows, model_dim, ffn_dim),
       product_activations(steps, rows, ffn_dim, model_dim),
       product_activations(steps, rows, model_dim, qk_dim),
       product_activations(steps, rows, model_dim, value_dim),
       product_activations(steps, rows, value_dim, model_dim),
       2 * longest * qk_dim * kFloatBytes + scores,     // Of one sentence.
       scores + 2 * longest * value_dim * kFloatBytes,  // Context.
       product_activations(steps, activity.most_rows, model_dim, activity.most_columns)});
}

}  // namespace

Footprint footprint(const Architecture& architecture, Precision precision, const Activity& activity,
                    DotScores dot_scores) {
  const StepWork steps(architecture, precision, dot_scores);
  return {.weights = WeightBytes(architecture, steps).total(),
          .activations = activation_bytes(architecture, steps, activity),
          .caches = cache_bytes(architecture, steps, activity)};
}

}  // namespace eatt::energy
