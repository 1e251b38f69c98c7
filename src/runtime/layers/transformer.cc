#include "runtime/layers/transformer.h"

#include <algorithm>
#include <cmath>

#include "runtime/layers/observer.h"

namespace eatt {
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

void remember_source(const Model& model, const float* encoded, DecoderState& state,
                     Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  const size_t rows = state.source().rows();
  for (size_t first = 0; first < rows; first += kRowsAtATime) {
    const size_t count = std::min(kRowsAtATime, rows - first);
    AttentionInput input(model.precision, encoded + first * width, count, width, scratch);
    for (size_t layer = 0; layer < model.decoder.size(); ++layer) {
      const AttentionMechanism& mechanism = *model.decoder[layer].cross.mechanism;
      const AttentionRows made = mechanism.memory_rows(input, scratch);
      const Timed timed(scratch.observer, mechanism.place(), Duty::key);
      for (size_t i = 0; i < count; ++i) state.cross[layer].write(first + i, made, i);
    }
  }
}

void decode_step(const Model& model, const DecoderStep& step, const float* position, float* x,
                 Scratch& scratch) {
  const size_t width = model.architecture.model_dim;
  {
    const Timed timed(scratch.observer, {Stack::decoder, 0, SubLayer::none}, Duty::embedding);
    for (size_t row = 0; row < step.rows.size(); ++row)
      embed(model, model.embeddings.target, step.rows[row].piece, position, x + row * width);
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
