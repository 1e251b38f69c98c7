#include "training/update/row_math.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <vector>

#include "base/threads.h"
#include "kernels/rows/optimizer_rows.h"

namespace eatt {
namespace {

constexpr int64_t kChunk = 1 << 16;  // Fits into a core's cache.

template <typename Body>
void for_each_chunk(int64_t size, const Body& body) {
  const auto chunks = static_cast<size_t>((size + kChunk - 1) / kChunk);
  parallel_for(chunks, [&](size_t i) {
    const int64_t begin = static_cast<int64_t>(i) * kChunk;
    body(i, begin, std::min(kChunk, size - begin));
  });
}

// Σ body(begin, size) over the chunks, in their order: the same for any number of threads.
template <typename Body>
double sum_over_chunks(int64_t size, const Body& body) {
  std::vector<double> parts(static_cast<size_t>(size / kChunk + 1));
  for_each_chunk(size, [&](size_t i, int64_t begin, int64_t part) {
    parts[i] = body(begin, static_cast<size_t>(part));
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace

bool is_plain_row(const torch::Tensor& row) {
  return row.is_cpu() && row.scalar_type() == torch::kFloat && row.is_contiguous();
}

double squared_norm(const torch::Tensor& row) {
  RECORD_FUNCTION("eatt::squared_norm", c10::ArrayRef<const c10::IValue>{});
  const float* x = row.data_ptr<float>();
  return sum_over_chunks(row.numel(), [&](int64_t begin, size_t size) {
    return kernels::squared_norm(x + begin, size);
  });
}

double add_row(torch::Tensor& to, const torch::Tensor& from) {
  float* target = to.data_ptr<float>();
  const float* source = from.data_ptr<float>();
  return sum_over_chunks(to.numel(), [&](int64_t begin, size_t size) {
    return kernels::add_row(source + begin, size, target + begin);
  });
}

void adam_row(const AdamStep& step, const torch::Tensor& gradients, torch::Tensor& first_moment,
              torch::Tensor& second_moment, torch::Tensor& values) {
  RECORD_FUNCTION("eatt::adam", c10::ArrayRef<const c10::IValue>{});
  const auto number = [](double x) { return static_cast<float>(x); };
  const kernels::AdamNumbers numbers = {.gradient_scale = number(step.gradient_scale),
                                        .keep1 = number(step.beta1),
                                        .new1 = number(1 - step.beta1),
                                        .keep2 = number(step.beta2),
                                        .new2 = number(1 - step.beta2),
                                        .epsilon = number(step.epsilon),
                                        .step_size = number(step.step_size),
                                        .inverse_root = number(1 / step.root_correction)};
  const float* g = gradients.data_ptr<float>();
  float* m = first_moment.data_ptr<float>();
  float* v = second_moment.data_ptr<float>();
  float* p = values.data_ptr<float>();
  for_each_chunk(values.numel(), [&](size_t, int64_t begin, int64_t size) {
    kernels::adam_update(numbers, g + begin, static_cast<size_t>(size),
                         {m + begin, v + begin, p + begin});
  });
}

}  // namespace eatt
