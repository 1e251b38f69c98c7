#include "trace/recompute.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace eatt::trace {

std::vector<int8_t> codes_of(std::span<const float> input, std::span<const float> threshold,
                             size_t levels) {
  std::vector<int8_t> codes(input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    float limit = threshold[i % threshold.size()];
    if (levels == 0) {
      codes[i] = input[i] > limit;
      continue;
    }
    const float step = limit + limit;
    for (size_t n = 0; n < levels && std::abs(input[i]) > limit; ++n, limit += step) {
      codes[i] = static_cast<int8_t>(codes[i] + (input[i] > 0 ? 1 : -1));
    }
  }
  return codes;
}

std::vector<int16_t> selected_sums(const PlainSelection& selection, std::span<const int8_t> codes) {
  const size_t out = selection.bias.size(), in = selection.weight.size() / out;
  std::vector<int16_t> sums;
  for (size_t row = 0; row < codes.size() / in; ++row) {
    const auto code = codes.subspan(row * in, in);
    for (size_t o = 0; o < out; ++o) {
      const auto weight = std::span(selection.weight).subspan(o * in, in);
      int32_t sum = selection.bias[o];
      for (size_t i = 0; i < in; ++i) sum += int32_t{code[i]} * weight[i];
      sums.push_back(static_cast<int16_t>(sum));
    }
  }
  return sums;
}

int32_t distance(std::span<const int16_t> query, std::span<const int16_t> key) {
  int32_t sum = 0;
  for (size_t i = 0; i < query.size(); ++i) sum += std::abs(int32_t{query[i]} - int32_t{key[i]});
  return sum;
}

float distance_score(int32_t distance, float unit) { return -unit * static_cast<float>(distance); }

RoundedRows rounded_rows(std::span<const float> values, size_t width) {
  RoundedRows rounded;
  for (size_t first = 0; first < values.size(); first += width) {
    const auto row = values.subspan(first, width);
    float largest = 0;
    for (const float value : row) largest = std::max(largest, std::abs(value));
    const float before = largest < 0x1p-64f ? 0x1p64f : 1.0f;
    const float factor = largest == 0 ? 0.0f : 127.0f / (largest * before);
    rounded.scales.push_back(largest / 127.0f);
    for (const float value : row) {
      rounded.numbers.push_back(static_cast<int8_t>(std::nearbyint(value * before * factor)));
    }
  }
  return rounded;
}

std::vector<int32_t> product_sums(const PlainProduct& product, std::span<const int8_t> input) {
  const size_t in = product.in, rows = input.size() / in;
  std::vector<int32_t> sums(rows * product.out);
  for (size_t row = 0; row < rows; ++row) {
    const int8_t* x = input.data() + row * in;
    for (size_t o = 0; o < product.out; ++o) {
      const int8_t* weight = product.weight.data() + o * in;
      int32_t sum = 0;
      for (size_t i = 0; i < in; ++i) sum += int32_t{x[i]} * int32_t{weight[i]};
      sums[row * product.out + o] = sum;
    }
  }
  return sums;
}

float product_output(const PlainProduct& product, size_t column, int32_t sum, float input_scale,
                     kernels::Activation activation) {
  const float scaled = static_cast<float>(sum) * input_scale * product.scales[column];
  const float y = scaled + (product.bias.empty() ? 0.0f : product.bias[column]);
  return activation == kernels::Activation::relu && y < 0 ? 0.0f : y;
}

}  // namespace eatt::trace
