#include "trace/recorder.h"

#include "runtime/attention/mechanism.h"

namespace eatt::trace {
namespace {

template <class T>
void append(std::vector<T>& to, const T* from, size_t size) {
  to.insert(to.end(), from, from + size);
}

}  // namespace

void Recorder::codes(const CodeRows& rows) {
  Recording::Codes& kept = recording_.codes[rows.place];
  for (size_t row = 0; row < rows.rows; ++row) {
    append(kept.values, rows.x + row * rows.x_stride, rows.dim);
    for (size_t i = 0; i < rows.dim; ++i) {
      kept.codes.push_back(static_cast<int8_t>(rows.code(row, i)));
    }
  }
}

void Recorder::residual(const Norm& norm, std::span<const float> x) {
  append(recording_.residuals[&norm], x.data(), x.size());
}

void Recorder::product(const Linear& linear, const LinearInput& input,
                       kernels::Activation activation, const float* y) {
  Recording::Product& kept = recording_.products[&linear];
  kept.activation = activation;
  const kernels::QuantizedRows& rounded = *input.quantized;
  for (size_t row = 0; row < input.rows; ++row) {
    const uint8_t* values = rounded.values + row * rounded.stride;
    for (size_t i = 0; i < input.width; ++i) {
      kept.input.push_back(static_cast<int8_t>(values[i] - 128));
    }
  }
  append(kept.values, input.x, input.rows * input.width);
  append(kept.input_scales, rounded.scales, input.rows);
  append(kept.output, y, input.rows * outputs(linear));
}

void Recorder::selected(const SelectionWeights& weights, size_t rows, const int16_t* y) {
  append(recording_.selections[&weights], y, rows * weights.out);
}

void Recorder::scores(const AttentionMechanism& mechanism, const ScoreBlock& scores) {
  const size_t size = scores.heads * scores.query_len * scores.key_len;
  recording_.scores[&mechanism].queries.push_back(
      {scores.query_len, scores.key_len, {scores.scores, scores.scores + size}});
}

}  // namespace eatt::trace
