#include "runtime/attention/attend.h"

#include <algorithm>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/rows/rows.h"
#include "runtime/layers/observer.h"

namespace eatt {
namespace {

float head_factor(const FusedAttention& fused, size_t head) {
  return fused.factors.empty() ? 1.0f : fused.factors[head];
}

// One by one: their scores may have factors of their own, and of a very long sentence each head
// takes so long that somebody may want to stop in between.
void attend_heads(const FusedAttention& fused, kernels::Attention& attention,
                  const kernels::AttentionForward& tensors, const Scratch& s, float* scratch) {
  for (size_t h = 0; h < attention.heads; ++h) {
    if (s.before_step != nullptr) (*s.before_step)();
    attention.factor = head_factor(fused, h);
    kernels::attention_forward(attention, tensors, h, h + 1, scratch);
  }
}

// The attention kernel keeps no scores; these are made by the same operations.
void tell_scores(const AttentionMechanism& mechanism, const FusedAttention& fused,
                 const kernels::Attention& attention, const kernels::AttentionForward& tensors,
                 Observer& observer) {
  const size_t n = attention.head_dim, length = attention.query_len;
  std::vector<float> scores(attention.heads * length * length);
  std::vector<float> scratch(kernels::pairwise_scores_scratch(length, n));
  for (size_t h = 0; h < attention.heads; ++h) {
    kernels::pairwise_scores({fused.kind, n, head_factor(fused, h)},
                             {tensors.query.head(0, h), length, tensors.query.row_stride},
                             {tensors.key.head(0, h), length, tensors.key.row_stride},
                             scores.data() + h * length * length, length, scratch.data());
  }
  observer.scores(mechanism, {scores.data(), attention.heads, length, length});
}

void mix_values(const AttentionShape& shape, const float* weights, const RowPointers& values,
                float* context) {
  const kernels::RowMix mix{shape.heads, shape.value_dim(), values.count};
  if (values.kind == RowKind::floats) {
    kernels::mix_value_rows(mix, weights, values.floats(), context);
  } else {
    kernels::mix_value_rows(mix, weights, values.halves(), context);
  }
}

}  // namespace

void attend_fused(const AttentionMechanism& mechanism, const FusedAttention& fused,
                  const AttentionRows& rows, const SourceRows& sentences, float* context,
                  Scratch& s) {
  const Timed timed(s.observer, mechanism.place(), Duty::scores);
  const AttentionShape& shape = mechanism.shape();
  const size_t n = shape.head_dim(), value_dim = shape.value_dim(), v = shape.attention_dim;
  const auto& [query, key, value] = rows;
  for (size_t i = 0; i < sentences.sentences(); ++i) {
    const size_t first = sentences.starts[i], length = sentences.length(i);
    kernels::Attention attention{.kind = fused.kind,
                                 .batch = 1,
                                 .heads = shape.heads,
                                 .query_len = length,
                                 .key_len = length,
                                 .head_dim = n,
                                 .value_dim = value_dim,
                                 .factor = 1.0f};
    const size_t first_key = fused.keys_are_positions ? 0 : first;
    const kernels::AttentionForward tensors{
        .query = {query.floats + first * query.stride, 0, query.stride, n},
        .key = {key.floats + first_key * key.stride, 0, key.stride, n},
        .value = {value.floats + first * value.stride, 0, value.stride, value_dim},
        .out = {context + first * v, 0, v, value_dim},
        .log_sums = s.log_sums.at_least(shape.heads * length),
        .weights = nullptr};
    attend_heads(fused, attention, tensors, s,
                 s.attention.at_least(kernels::attention_forward_scratch(attention)));
    if (s.observer != nullptr && s.observer->wants_scores()) {
      tell_scores(mechanism, fused, attention, tensors, *s.observer);
    }
  }
}

const float* attend_row(const AttentionMechanism& mechanism, const QueryRow& query,
                        const RowPointers& keys, const RowPointers& values, float* context,
                        Scratch& s) {
  const size_t heads = mechanism.shape().heads, count = values.count;
  float* scores = s.scores.at_least(heads * count);
  {
    const Timed timed(s.observer, mechanism.place(), Duty::scores);
    mechanism.score_row(query, keys, scores);
  }
  if (s.observer != nullptr) s.observer->scores(mechanism, {scores, heads, 1, count});
  const Timed timed(s.observer, mechanism.place(), Duty::context);
  kernels::softmax_rows(scores, heads, count, scores);
  mix_values(mechanism.shape(), scores, values, context);
  return scores;
}

void RowAttention::resize(size_t count) {
  count_ = count;
  s_.key_rows.resize(count_);
  s_.value_rows.resize(count_);
}

void RowAttention::set_row(size_t i, size_t slot) {
  s_.value_rows[i] = cache_.values.row(slot);
  if (cache_.keys.format().width != 0) s_.key_rows[i] = cache_.keys.row(slot);
}

void RowAttention::attend_to(std::span<const uint32_t> slots) {
  resize(slots.size());
  for (size_t i = 0; i < count_; ++i) set_row(i, slots[i]);
}

void RowAttention::run(const QueryRow& query, float* context) {
  weights_ = attend_row(mechanism_, query, {cache_.keys.format().kind, s_.key_rows.data(), count_},
                        {cache_.values.format().kind, s_.value_rows.data(), count_}, context, s_);
}

void RowAttention::copy_weights(int head, float* weights) const {
  if (head >= 0) {
    std::copy_n(weights_ + static_cast<size_t>(head) * count_, count_, weights);
    return;
  }
  const size_t heads = mechanism_.shape().heads;
  std::fill_n(weights, count_, 0.0f);
  for (size_t h = 0; h < heads; ++h) {
    for (size_t i = 0; i < count_; ++i) weights[i] += weights_[h * count_ + i];
  }
  for (size_t i = 0; i < count_; ++i) weights[i] /= static_cast<float>(heads);
}

}  // namespace eatt
