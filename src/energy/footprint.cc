#include <algorithm>

#include "energy/count_operations.h"
#include "energy/step_work.h"

namespace eatt::energy {
namespace {

constexpr uint64_t kFloatBytes = 4;

// Bytes of a model's weights, as its precision stores them.
class WeightBytes {
 public:
  WeightBytes(const Architecture& architecture, Precision precision)
      : a_(architecture),
        steps_(architecture, precision),
        d_(static_cast<uint64_t>(a_.model_dim)),
        q_(static_cast<uint64_t>(a_.qk_dim)),
        v_(static_cast<uint64_t>(a_.attention_dim)) {}

  uint64_t total() const {
    uint64_t bytes = embeddings();
    for (const Role role : {Role::encoder_self, Role::decoder_self, Role::cross}) {
      for (const Mechanism mechanism : a_.attention(role).layers) bytes += attention(mechanism);
    }
    const auto encoders = static_cast<uint64_t>(a_.encoder_layers());
    const auto decoders = static_cast<uint64_t>(a_.decoder_layers());
    bytes += (encoders + decoders) * feed_forward();
    if (a_.norm == NormPlacement::pre) bytes += 2 * norm();
    if (std::ranges::any_of(a_.cross.layers, binarises)) bytes += threshold();
    return bytes;
  }

 private:
  uint64_t norm() const { return 2 * d_ * kFloatBytes; }
  uint64_t threshold() const { return (a_.threshold.learned ? d_ : 1) * kFloatBytes; }

  uint64_t embeddings() const {
    const auto matrix = [&](int vocab) {
      return steps_.product_bytes(d_, static_cast<uint64_t>(vocab), /*has_bias=*/false);
    };
    switch (a_.embeddings) {
      case EmbeddingSharing::all:
        return matrix(a_.source_vocab);
      case EmbeddingSharing::target:
        return matrix(a_.source_vocab) + matrix(a_.target_vocab);
      case EmbeddingSharing::none:
        break;
    }
    return matrix(a_.source_vocab) + 2 * matrix(a_.target_vocab);
  }

  uint64_t attention(Mechanism mechanism) const {
    const auto longest = static_cast<uint64_t>(a_.max_length);
    const auto heads = static_cast<uint64_t>(a_.heads);
    uint64_t bytes = steps_.product_bytes(d_, v_, true) + steps_.product_bytes(v_, d_, true);
    bytes += norm();
    if (binarises(mechanism)) return bytes + steps_.selection_bytes() + threshold();
    if (has_queries_and_keys(mechanism)) return bytes + 2 * steps_.product_bytes(d_, q_, true);
    if (mechanism == Mechanism::dense)
      return bytes + steps_.product_bytes(d_, q_, false) + longest * q_ * kFloatBytes;
    return bytes + heads * longest * longest * kFloatBytes;
  }

  uint64_t feed_forward() const {
    const auto f = static_cast<uint64_t>(a_.ffn_dim);
    return steps_.product_bytes(d_, f, true) + steps_.product_bytes(f, d_, true) + norm();
  }

  const Architecture& a_;
  StepWork steps_;
  uint64_t d_, q_, v_;
};

uint64_t cache_bytes(const Architecture& a, const StepWork& steps, const Activity& activity) {
  uint64_t bytes = 0;
  for (const Mechanism mechanism : a.decoder_self.layers) {
    bytes +=
        activity.most_cached_rows * (steps.kept_key_bytes(mechanism) + steps.kept_value_bytes());
  }
  for (const Mechanism mechanism : a.cross.layers) {
    bytes +=
        activity.most_source_rows * (steps.kept_key_bytes(mechanism) + steps.kept_value_bytes());
  }
  return bytes;
}

// The steps that can be the largest: feed-forward, scores of a sentence, vocabulary.
uint64_t activation_bytes(const Architecture& a, const StepWork& steps, const Activity& activity) {
  const auto d = static_cast<uint64_t>(a.model_dim), f = static_cast<uint64_t>(a.ffn_dim);
  const auto q = static_cast<uint64_t>(a.qk_dim), heads = static_cast<uint64_t>(a.heads);
  const uint64_t rows = std::max(activity.most_source_rows, activity.most_rows);
  const uint64_t longest = activity.longest_source;
  return std::max(
      {rows * (steps.input_bytes(d) + f * kFloatBytes),
       rows * (steps.input_bytes(f) + d * kFloatBytes),
       longest * (2 * q + heads * longest) * kFloatBytes,
       activity.most_rows * (steps.input_bytes(d) + activity.most_columns * kFloatBytes)});
}

}  // namespace

Footprint footprint(const Architecture& architecture, Precision precision,
                    const Activity& activity) {
  const StepWork steps(architecture, precision);
  return {.weights = WeightBytes(architecture, precision).total(),
          .activations = activation_bytes(architecture, steps, activity),
          .caches = cache_bytes(architecture, steps, activity)};
}

}  // namespace eatt::energy
