#include "training/row_math.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/threads.h"

// The widest instructions of this CPU, chosen when the program starts.
#if defined(__x86_64__)
#define EATT_EACH_CPU __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define EATT_EACH_CPU
#endif

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

EATT_EACH_CPU double squares(const float* x, int64_t size) {
  double sums[8] = {};  // Independent, so that they can be added side by side.
  int64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (int64_t j = 0; j < 8; ++j) {
      const double value = x[i + j];
      sums[j] += value * value;
    }
  }
  for (; i < size; ++i) sums[0] += static_cast<double>(x[i]) * x[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

EATT_EACH_CPU void add(float* to, const float* from, int64_t size) {
  for (int64_t i = 0; i < size; ++i) to[i] += from[i];
}

struct AdamNumbers {
  float keep1, new1, keep2, new2, epsilon, step_size, inverse_root;
};

EATT_EACH_CPU void adam(const AdamNumbers& n, const float* __restrict g, float* __restrict m,
                        float* __restrict v, float* __restrict p, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    m[i] = n.keep1 * m[i] + n.new1 * g[i];
    v[i] = n.keep2 * v[i] + n.new2 * g[i] * g[i];
    p[i] -= n.step_size * m[i] / (std::sqrt(v[i]) * n.inverse_root + n.epsilon);
  }
}

}  // namespace

bool is_plain_row(const torch::Tensor& row) {
  return row.is_cpu() && row.scalar_type() == torch::kFloat && row.is_contiguous();
}

double squared_norm(const torch::Tensor& row) {
  const float* x = row.data_ptr<float>();
  std::vector<double> parts(static_cast<size_t>(row.numel() / kChunk + 1));
  for_each_chunk(row.numel(), [&](size_t i, int64_t begin, int64_t size) {
    parts[i] = squares(x + begin, size);
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

void add_row(torch::Tensor& to, const torch::Tensor& from) {
  float* target = to.data_ptr<float>();
  const float* source = from.data_ptr<float>();
  for_each_chunk(to.numel(), [&](size_t, int64_t begin, int64_t size) {
    add(target + begin, source + begin, size);
  });
}

void adam_row(const AdamStep& step, const torch::Tensor& gradients, torch::Tensor& first_moment,
              torch::Tensor& second_moment, torch::Tensor& values) {
  const auto number = [](double x) { return static_cast<float>(x); };
  const AdamNumbers numbers = {number(step.beta1),
                               number(1 - step.beta1),
                               number(step.beta2),
                               number(1 - step.beta2),
                               number(step.epsilon),
                               number(step.step_size),
                               number(1 / step.root_correction)};
  const float* g = gradients.data_ptr<float>();
  float* m = first_moment.data_ptr<float>();
  float* v = second_moment.data_ptr<float>();
  float* p = values.data_ptr<float>();
  for_each_chunk(values.numel(), [&](size_t, int64_t begin, int64_t size) {
    adam(numbers, g + begin, m + begin, v + begin, p + begin, size);
  });
}

}  // namespace eatt
