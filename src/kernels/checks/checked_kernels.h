#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/random.h"

// The kernels that check_kernels() runs, in one list per folder, and what their checks share.
namespace eatt::kernels::checks {

// Not a multiple of any vector's size.
inline constexpr size_t kRows = 19, kKeys = 37, kDim = 43, kOut = 75;
inline constexpr double kSums = 2e-5;  // Tolerance for sums of some dozen floats in another order.

using Floats = std::vector<float>;

inline Floats random_floats(size_t size, uint64_t seed) {
  Random random(seed);
  Floats values(size);
  for (float& x : values) x = static_cast<float>(4 * random.uniform() - 2);
  return values;
}

template <typename T>
std::vector<T> random_integers(size_t size, uint64_t seed, int64_t lowest, uint64_t count) {
  Random random(seed);
  std::vector<T> values(size);
  for (T& x : values) x = static_cast<T>(lowest + static_cast<int64_t>(random.below(count)));
  return values;
}

// All results of a kernel, whatever their type.
class Results {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    for (const T value : values) values_.push_back(static_cast<double>(value));
  }
  void add(double value) { values_.push_back(value); }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

struct CheckedKernel {
  std::string name;              // "scores, dot"
  double tolerance;              // 0 where results must be equal.
  std::function<Results()> run;  // Runs the kernel on the same random input each time.
};

std::vector<CheckedKernel> attention_checks();
std::vector<CheckedKernel> selection_checks();
std::vector<CheckedKernel> product_checks();
std::vector<CheckedKernel> row_checks();

}  // namespace eatt::kernels::checks
