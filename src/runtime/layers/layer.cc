#include "runtime/layers/layer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernels/rows/rows.h"
#include "runtime/attention/attend.h"
#include "runtime/layers/observer.h"

// One layer of the encoder or decoder, sub-layer by sub-layer:
//   norm → queries, keys, values → scores −‖q−k‖₁ → softmax → context → output → residual,
// then norm → feed-forward → residual. (Where the norm comes after, it ends the sub-layer.)
namespace eatt {
namespace {

// Rows that go through a feed-forward block at a time, so that its hidden units stay in the cache.
constexpr size_t kRowsAtATime = 128;

size_t width_of(const Model& model) { return model.architecture.model_dim; }

// out may be x.
void normalise(const Model& model, const Norm& norm, const float* x, size_t rows, float* out,
               Scratch& s) {
  float* moments = s.moments.at_least(2 * rows);
  kernels::layer_norm({.x = x,
                       .rows = rows,
                       .width = width_of(model),
                       .gain = norm.gain,
                       .bias = norm.bias,
                       .epsilon = static_cast<float>(model.architecture.norm_epsilon)},
                      out, {moments, moments + rows});
}

// Norm and residual of a sub-layer, around what it adds to x.
class SubLayerFrame {
 public:
  SubLayerFrame(const Model& model, const Place& place, const Norm& norm, size_t rows, Scratch& s)
      : model_(model), place_(place), norm_(norm), rows_(rows), s_(s) {}

  // What the sub-layer reads: norm(x), or x itself in post-norm models.
  const float* norm_before(const float* x) const {
    if (s_.observer != nullptr) s_.observer->residual(norm_, {x, rows_ * width_of(model_)});
    if (model_.architecture.norm == NormPlacement::post) return x;
    const Timed timed(s_.observer, place_, Duty::norm);
    float* normed = s_.normed.at_least(rows_ * width_of(model_));
    normalise(model_, norm_, x, rows_, normed, s_);
    return normed;
  }

  // x + delta, followed by the norm in post-norm models.
  void add_residual(const float* delta, float* x) const {
    {
      const Timed timed(s_.observer, place_, Duty::residual);
      const size_t size = rows_ * width_of(model_);
      for (size_t i = 0; i < size; ++i) x[i] += delta[i];
    }
    if (model_.architecture.norm == NormPlacement::pre) return;
    const Timed timed(s_.observer, place_, Duty::norm);
    normalise(model_, norm_, x, rows_, x, s_);
  }

 private:
  const Model& model_;
  const Place& place_;
  const Norm& norm_;
  size_t rows_;
  Scratch& s_;
};

// attend(input, context) goes from the normed rows to the context [rows, attention_dim].
template <class Attend>
void attention_sub_layer(const Model& model, const AttentionLayerWeights& layer, size_t rows,
                         float* x, Scratch& s, Attend&& attend) {
  const AttentionMechanism& mechanism = *layer.mechanism;
  const size_t width = width_of(model), context_width = mechanism.shape().attention_dim;
  const SubLayerFrame frame(model, mechanism.place(), layer.norm, rows, s);
  AttentionInput input(model.precision, frame.norm_before(x), rows, width, s);
  float* context = s.context.at_least(rows * context_width);
  attend(input, context);
  float* delta = s.delta.at_least(rows * width);
  {
    const Timed timed(s.observer, mechanism.place(), Duty::output);
    apply(layer.output, linear_input(model.precision, context, rows, context_width, s), delta);
  }
  frame.add_residual(delta, x);
}

void feed_forward(const Model& model, const FeedForwardWeights& layer, size_t rows, float* x,
                  Scratch& s) {
  const size_t width = width_of(model);
  const size_t hidden_width = model.architecture.ffn_dim;
  for (size_t first = 0; first < rows; first += kRowsAtATime, x += kRowsAtATime * width) {
    const size_t count = std::min(kRowsAtATime, rows - first);
    const SubLayerFrame frame(model, layer.place, layer.norm, count, s);
    const float* normed = frame.norm_before(x);
    float* hidden = s.hidden.at_least(count * hidden_width);
    float* delta = s.delta.at_least(count * width);
    {
      const Timed timed(s.observer, layer.place, Duty::ffn);
      apply(layer.first, linear_input(model.precision, normed, count, width, s), hidden,
            kernels::Activation::relu);
      apply(layer.second, linear_input(model.precision, hidden, count, hidden_width, s), delta);
    }
    frame.add_residual(delta, x);
  }
}

// Each new position attends to all of its hypothesis, itself included.
void decoder_self_attention(const Model& model, size_t layer, const DecoderStep& step, float* x,
                            Scratch& s) {
  const AttentionLayerWeights& self = model.decoder[layer].self;
  const AttentionMechanism& mechanism = *self.mechanism;
  KeyValueRows& cache = step.state.self[layer];
  attention_sub_layer(model, self, step.rows.size(), x, s,
                      [&](AttentionInput& input, float* context) {
                        const AttentionRows rows = mechanism.self_rows(input, s);
                        {
                          const Timed timed(s.observer, mechanism.place(), Duty::key);
                          for (size_t i = 0; i < input.rows(); ++i) {
                            cache.write(step.state.slots(i).back(), rows, i);
                          }
                        }
                        RowAttention attention(mechanism, cache, s);
                        for (size_t i = 0; i < input.rows(); ++i) {
                          attention.attend_to(step.state.slots(i));
                          attention.run({rows.query, i, step.state.slots(i).size() - 1},
                                        context + i * mechanism.shape().attention_dim);
                        }
                      });
}

// Each new position attends to its source sentence.
void decoder_cross_attention(const Model& model, size_t layer, const DecoderStep& step, float* x,
                             Scratch& s) {
  const AttentionLayerWeights& cross = model.decoder[layer].cross;
  const AttentionMechanism& mechanism = *cross.mechanism;
  const bool shown = step.wanted.rows != nullptr && step.wanted.layer == layer;
  attention_sub_layer(
      model, cross, step.rows.size(), x, s, [&](AttentionInput& input, float* context) {
        const RowsView queries = mechanism.query_rows(input, s);
        RowAttention attention(mechanism, step.state.cross[layer], s);
        for (size_t i = 0; i < input.rows(); ++i) {
          attention.attend_to(step.state.source_slots(step.rows[i].sentence));
          attention.run({queries, i, step.state.slots(i).size() - 1},
                        context + i * mechanism.shape().attention_dim);
          if (shown) {
            attention.copy_weights(step.wanted.head, step.wanted.rows + i * step.wanted.stride);
          }
        }
      });
}

}  // namespace

void encoder_layer(const Model& model, const EncoderLayerWeights& layer,
                   const SourceRows& sentences, float* x, Scratch& s) {
  const AttentionMechanism& mechanism = *layer.self.mechanism;
  attention_sub_layer(model, layer.self, sentences.rows(), x, s,
                      [&](AttentionInput& input, float* context) {
                        const AttentionRows rows = mechanism.self_rows(input, s);
                        mechanism.attend_sentences(rows, sentences, context, s);
                      });
  feed_forward(model, layer.feed_forward, sentences.rows(), x, s);
}

void decoder_layer(const Model& model, size_t layer, const DecoderStep& step, float* x,
                   Scratch& s) {
  decoder_self_attention(model, layer, step, x, s);
  decoder_cross_attention(model, layer, step, x, s);
  feed_forward(model, model.decoder[layer].feed_forward, step.rows.size(), x, s);
}

void last_norm(const Model& model, Stack stack, size_t rows, float* x, Scratch& s) {
  const auto& norm = stack == Stack::encoder ? model.encoder_norm : model.decoder_norm;
  if (!norm) return;
  if (s.observer != nullptr) s.observer->residual(*norm, {x, rows * width_of(model)});
  const Timed timed(s.observer, {stack, 0, SubLayer::none}, Duty::norm);
  normalise(model, *norm, x, rows, x, s);
}

namespace {

KeyValueRows make_rows(const Model& model, const AttentionMechanism& mechanism) {
  const RowKind kind = model.precision == Precision::float32 ? RowKind::floats : RowKind::halves;
  return {RowStore(mechanism.key_format()), RowStore({kind, mechanism.shape().attention_dim})};
}

}  // namespace

DecoderState::DecoderState(const Model& model) {
  for (const DecoderLayerWeights& layer : model.decoder) {
    self.push_back(make_rows(model, *layer.self.mechanism));
    cross.push_back(make_rows(model, *layer.cross.mechanism));
  }
}

std::span<const uint32_t> DecoderState::add(int32_t sentence, size_t length) {
  const auto number = static_cast<size_t>(sentence);
  if (sources_.size() <= number) sources_.resize(number + 1);
  std::vector<uint32_t>& slots = sources_[number];
  expects(slots.empty(), "the number of a new sentence is free");
  for (size_t i = 0; i < length; ++i) slots.push_back(cross_slots_.take());
  for (KeyValueRows& layer : cross) layer.reserve(cross_slots_.ever_taken());
  return slots;
}

void DecoderState::remove(int32_t sentence) {
  std::vector<uint32_t>& slots = sources_[static_cast<size_t>(sentence)];
  expects(!slots.empty(), "a sentence that leaves is in the batch");
  // The first is taken next: the memory that was used last is still in the cache.
  for (size_t i = slots.size(); i-- > 0;) cross_slots_.give_back(slots[i]);
  slots.clear();
}

void DecoderState::clear() {
  for (auto& slots : sources_) slots.clear();
  histories_.clear();
  self_slots_ = cross_slots_ = {};
}

void DecoderState::advance(std::span<const StepRow> rows) {
  std::swap(parents_, histories_);
  histories_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    histories_[i].clear();
    if (rows[i].parent < 0) continue;
    expects(static_cast<size_t>(rows[i].parent) < parents_.size(), "a parent is a row");
    histories_[i] = parents_[static_cast<size_t>(rows[i].parent)];
  }
  free_unused();
  for (auto& history : histories_) history.push_back(self_slots_.take());
  for (KeyValueRows& layer : self) layer.reserve(self_slots_.ever_taken());
}

void DecoderState::free_unused() {
  used_.assign(self_slots_.ever_taken(), false);
  for (const auto& history : histories_) {
    for (const uint32_t slot : history) used_[slot] = true;
  }
  self_slots_.give_back_unused(used_);
}

uint32_t SlotNumbers::take() {
  if (free_.empty()) return ever_taken_++;
  const uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void SlotNumbers::give_back_unused(const std::vector<bool>& used) {
  free_.clear();
  for (uint32_t slot = ever_taken_; slot-- > 0;) {
    if (!used[slot]) free_.push_back(slot);
  }
}

}  // namespace eatt
