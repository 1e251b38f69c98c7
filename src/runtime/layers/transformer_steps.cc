#include "runtime/layers/transformer_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/shortlist/output_columns.h"
#include "text/pieces/pieces.h"

namespace eatt {
namespace {

constexpr size_t kFewPositions = 64;

SourceRows source_rows(std::span<const std::vector<int32_t>> sources) {
  SourceRows rows;
  for (const auto& source : sources) {
    rows.pieces.insert(rows.pieces.end(), source.begin(), source.end());
    rows.pieces.push_back(kEndPiece);
    rows.starts.push_back(rows.pieces.size());
  }
  return rows;
}

}  // namespace

TransformerSteps::TransformerSteps(const Model& model, const StepModelOptions& options)
    : model_(model), before_step_(options.before_step), state_(model) {
  scratch_.observer = options.observer;
  if (before_step_) scratch_.before_step = &before_step_;
  if (options.shortlist != nullptr)
    columns_ = std::make_unique<OutputColumns>(*options.shortlist, model.embeddings.output);
  if (options.wants_attention) want_attention(options);
}

TransformerSteps::~TransformerSteps() = default;

void TransformerSteps::want_attention(const StepModelOptions& options) {
  const int layers = static_cast<int>(model_.decoder.size());
  const int heads = static_cast<int>(model_.architecture.heads);
  if (options.alignment_layer < 0 || options.alignment_layer > layers ||
      options.alignment_head < 0 || options.alignment_head > heads) {
    throw UsageError(
        fmt::format("the model has no attention layer {}, head {}: expected a layer from 1 to {} "
                    "(0: the last) and a head from 1 to {} (0: the mean of all)",
                    options.alignment_layer, options.alignment_head, layers, heads));
  }
  wants_attention_ = true;
  wanted_layer_ =
      static_cast<size_t>(options.alignment_layer == 0 ? layers : options.alignment_layer) - 1;
  wanted_head_ = options.alignment_head - 1;
}

size_t TransformerSteps::max_target_pieces() const {
  return has_length_limit(model_.architecture) ? model_.architecture.max_length
                                               : std::numeric_limits<size_t>::max();
}

void TransformerSteps::require_pieces(std::span<const std::vector<int32_t>> pieces) {
  if (columns_ != nullptr) required_.assign(pieces.begin(), pieces.end());
}

void TransformerSteps::start(std::span<const std::vector<int32_t>> sources) {
  if (before_step_) before_step_();
  SourceRows source = source_rows(sources);
  const size_t longest = source.longest();
  if (longest > max_target_pieces()) {
    throw Error(fmt::format(
        "a sentence has {} pieces, but the attention of this model has positions for {}; shorten "
        "it, or train with a larger --max-length",
        longest, max_target_pieces()));
  }
  float* x = x_.at_least(source.rows() * model_.architecture.model_dim);
  encode(model_, source, positions(longest), x, scratch_);
  if (columns_ != nullptr) columns_->start(source, required_);
  required_.clear();
  state_.start(std::move(source));
  remember_source(model_, x, state_, scratch_);
  if (scratch_.observer != nullptr) scratch_.observer->batch_encoded(state_.source());
}

StepScores TransformerSteps::step(std::span<const StepRow> rows) {
  if (before_step_) before_step_();
  const size_t width = model_.architecture.model_dim;
  state_.advance(rows);
  sentences_.clear();
  for (const StepRow& row : rows) sentences_.push_back(row.sentence);
  DecoderStep step{.rows = rows, .state = state_};
  if (wants_attention_) {
    const size_t stride = state_.source().longest();
    attention_.resize(rows.size() * stride);
    step.wanted = {wanted_layer_, wanted_head_, attention_.data(), stride};
  }
  float* x = x_.at_least(rows.size() * width);
  const float* position = positions(state_.step()) + (state_.step() - 1) * width;
  decode_step(model_, step, position, x, scratch_);
  StepScores scores{logits(x, rows.size()), vocab()};
  if (columns_ != nullptr) scores.own = columns_->own_rows(scores.logits, sentences_);
  if (scratch_.observer != nullptr) scratch_.observer->step_done({state_, scores, sentences_});
  return scores;
}

const Linear& TransformerSteps::output() const {
  return columns_ != nullptr ? columns_->matrix() : model_.embeddings.output;
}

const float* TransformerSteps::logits(const float* x, size_t rows) {
  const Timed timed(scratch_.observer, {Stack::decoder, 0, SubLayer::none}, Duty::vocabulary);
  float* logits = logits_.at_least(rows * outputs(output()));
  apply(output(), linear_input(model_.precision, x, rows, model_.architecture.model_dim, scratch_),
        logits);
  return logits;
}

std::span<const float> TransformerSteps::attention(size_t row) const {
  if (!wants_attention_) return {};
  const SourceRows& source = state_.source();
  return std::span(attention_)
      .subspan(row * source.longest(), source.length(static_cast<size_t>(sentences_[row])));
}

const float* TransformerSteps::positions(size_t length) {
  const size_t width = model_.architecture.model_dim;
  if (positions_.size() < length * width)
    positions_ = sinusoidal_rows(std::max(kFewPositions, length * 3 / 2), width);
  return positions_.data();
}

}  // namespace eatt
