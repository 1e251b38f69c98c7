#include "runtime/layers/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "runtime/layers/observer.h"
#include "runtime/shortlist/shortlist.h"
#include "text/pieces/pieces.h"

namespace eatt {
namespace {

constexpr size_t kFewPositions = 64;

SourceRows source_rows(std::span<const NewSentence> sentences) {
  SourceRows rows;
  for (const NewSentence& sentence : sentences) {
    rows.pieces.insert(rows.pieces.end(), sentence.source.begin(), sentence.source.end());
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

void TransformerSteps::add(std::span<const NewSentence> sentences) {
  if (sentences.empty()) return;
  if (before_step_) before_step_();
  const SourceRows source = source_rows(sentences);
  const size_t longest = source.longest();
  if (longest > max_target_pieces()) {
    throw Error(fmt::format(
        "a sentence has {} pieces, but the attention of this model has positions for {}; shorten "
        "it, or train with a larger --max-length",
        longest, max_target_pieces()));
  }
  float* x = x_.at_least(source.rows() * model_.architecture.model_dim);
  encode(model_, source, positions(longest), x, scratch_);
  if (columns_ != nullptr) columns_->add(sentences);
  std::vector<uint32_t> slots;
  for (const NewSentence& sentence : sentences) {
    const auto own = state_.add(sentence.sentence, sentence.source.size() + 1);
    slots.insert(slots.end(), own.begin(), own.end());
  }
  remember_source(model_, x, slots, state_, scratch_);
  if (scratch_.observer != nullptr) scratch_.observer->batch_encoded(source);
}

void TransformerSteps::remove(int32_t sentence) {
  state_.remove(sentence);
  if (columns_ != nullptr) columns_->remove(sentence);
}

void TransformerSteps::clear() {
  state_.clear();
  if (columns_ != nullptr) columns_->clear();
}

// One position further: what the output layer reads [rows, model_dim].
const float* TransformerSteps::decode(std::span<const StepRow> rows) {
  if (before_step_) before_step_();
  state_.advance(rows);
  sentences_.clear();
  size_t longest = 0;
  attention_stride_ = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sentences_.push_back(rows[i].sentence);
    longest = std::max(longest, state_.slots(i).size());
    attention_stride_ = std::max(attention_stride_, state_.source_slots(rows[i].sentence).size());
  }
  DecoderStep step{.rows = rows, .state = state_};
  if (wants_attention_) {
    attention_.resize(rows.size() * attention_stride_);
    step.wanted = {wanted_layer_, wanted_head_, attention_.data(), attention_stride_};
  }
  float* x = x_.at_least(rows.size() * model_.architecture.model_dim);
  decode_step(model_, step, positions(longest), x, scratch_);
  return x;
}

StepScores TransformerSteps::step(std::span<const StepRow> rows) {
  const float* x = decode(rows);
  if (columns_ != nullptr) columns_->gather();
  StepScores scores{logits(x, rows.size()), vocab()};
  if (columns_ != nullptr) scores.own = columns_->own_rows(scores.logits, sentences_);
  if (scratch_.observer != nullptr) scratch_.observer->step_done({state_, scores, sentences_});
  return scores;
}

// A shortlist's columns are few, and differ from row to row.
StepScores TransformerSteps::step_best(std::span<const StepRow> rows, const BestWanted& wanted) {
  const Observer* observer = scratch_.observer;
  if (columns_ != nullptr || (observer != nullptr && observer->wants_logits())) return step(rows);
  const float* x = decode(rows);
  const Timed timed(scratch_.observer, {Stack::decoder, 0, SubLayer::none}, Duty::vocabulary);
  LinearInput input = output_input(x, rows.size());
  input.observer = nullptr;
  return {.best = best_columns_.find(output(), input, wanted)};
}

LinearInput TransformerSteps::output_input(const float* x, size_t rows) {
  return linear_input(model_.precision, x, rows, model_.architecture.model_dim, scratch_);
}

const Linear& TransformerSteps::output() const {
  return columns_ != nullptr ? columns_->matrix() : model_.embeddings.output;
}

const float* TransformerSteps::logits(const float* x, size_t rows) {
  const Timed timed(scratch_.observer, {Stack::decoder, 0, SubLayer::none}, Duty::vocabulary);
  float* logits = logits_.at_least(rows * outputs(output()));
  apply(output(), output_input(x, rows), logits);
  return logits;
}

std::span<const float> TransformerSteps::attention(size_t row) const {
  if (!wants_attention_) return {};
  return std::span(attention_)
      .subspan(row * attention_stride_, state_.source_slots(sentences_[row]).size());
}

const float* TransformerSteps::positions(size_t length) {
  const size_t width = model_.architecture.model_dim;
  if (positions_.size() < length * width)
    positions_ = sinusoidal_rows(std::max(kFewPositions, length * 3 / 2), width);
  return positions_.data();
}

namespace {

// Rows of the source whose keys and values are computed at a time.
constexpr size_t kRowsAtATime = 128;

// x [model_dim] = √model_dim · embedding + position
void embed(const Model& model, const Embedding& embedding, int32_t piece, const float* position,
           float* x) {
  const size_t width = model.architecture.model_dim;
  const float factor = std::sqrt(static_cast<float>(width));
  const auto row = static_cast<size_t>(piece);
  if (const auto* matrix = std::get_if<kernels::Int8Matrix>(&embedding)) {
    kernels::int8_weight_row(*matrix, row, factor, x);
    for (size_t i = 0; i < width; ++i) x[i] += position[i];
    return;
  }
  const float* weights = std::get<const float*>(embedding) + row * width;
  for (size_t i = 0; i < width; ++i) x[i] = factor * weights[i] + position[i];
}

void embed_source(const Model& model, const SourceRows& source, const float* positions, float* x,
                  Scratch& scratch) {
  const Timed timed(scratch.observer, {Stack::encoder, 0, SubLayer::none}, Duty::embedding);
  const size_t width = model.architecture.model_dim;
  for (size_t i = 0; i < source.sentences(); ++i) {
    for (size_t row = source.starts[i]; row < source.starts[i + 1]; ++row) {
      embed(model, model.embeddings.source, source.pieces[row],
            positions + (row - source.starts[i]) * width, x + row * width);
    }
  }
}

}  // namespace

void encode(const Model& model, const SourceRows& source, const float* positions, float* x,
            Scratch& scratch) {
  embed_source(model, source, positions, x, scratch);
  for (const EncoderLayerWeights& layer : model.encoder)
    encoder_layer(model, layer, source, x, scratch);
  last_norm(model, Stack::encoder, source.rows(), x, scratch);
}

void remember_source(const Model& model, const float* encoded, std::span<const uint32_t> slots,
                     DecoderState& state, Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  for (size_t first = 0; first < slots.size(); first += kRowsAtATime) {
    const size_t count = std::min(kRowsAtATime, slots.size() - first);
    AttentionInput input(model.precision, encoded + first * width, count, width, scratch);
    for (size_t layer = 0; layer < model.decoder.size(); ++layer) {
      const AttentionMechanism& mechanism = *model.decoder[layer].cross.mechanism;
      const AttentionRows made = mechanism.memory_rows(input, scratch);
      const Timed timed(scratch.observer, mechanism.place(), Duty::key);
      for (size_t i = 0; i < count; ++i) state.cross[layer].write(slots[first + i], made, i);
    }
  }
}

void decode_step(const Model& model, const DecoderStep& step, const float* positions, float* x,
                 Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  {
    const Timed timed(scratch.observer, {Stack::decoder, 0, SubLayer::none}, Duty::embedding);
    for (size_t row = 0; row < step.rows.size(); ++row) {
      const size_t position = step.state.slots(row).size() - 1;
      embed(model, model.embeddings.target, step.rows[row].piece, positions + position * width,
            x + row * width);
    }
  }
  for (size_t layer = 0; layer < model.decoder.size(); ++layer) {
    decoder_layer(model, layer, step, x, scratch);
  }
  last_norm(model, Stack::decoder, step.rows.size(), x, scratch);
}

std::vector<float> sinusoidal_rows(size_t length, size_t model_dim) {
  const size_t half = model_dim / 2;
  const double step = std::log(10000.0) / std::max(1.0, static_cast<double>(half) - 1);
  std::vector<float> rows(length * model_dim);
  for (size_t i = 0; i < half; ++i) {
    const double frequency = std::exp(-step * static_cast<double>(i));
    for (size_t p = 0; p < length; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      rows[p * model_dim + i] = static_cast<float>(std::sin(angle));
      rows[p * model_dim + half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return rows;
}

}  // namespace eatt
