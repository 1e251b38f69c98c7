#include "kernels/self_check.h"

#include <cmath>

#include "kernels/checks/checked_kernels.h"
#include "kernels/isa.h"

namespace eatt::kernels {
namespace {

double largest_difference(const std::vector<double>& ours, const std::vector<double>& scalar) {
  double largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double difference = std::abs(ours[i] - scalar[i]) / (1 + std::abs(scalar[i]));
    if (!(difference <= largest)) largest = difference;  // Takes NaN, and keeps it.
    if (std::isnan(largest)) break;
  }
  return largest;
}

}  // namespace

std::vector<KernelCheck> check_kernels() {
  check_forced_isa();
  std::vector<KernelCheck> results;
  for (const auto family : {checks::attention_checks, checks::selection_checks,
                            checks::product_checks, checks::row_checks}) {
    for (const checks::CheckedKernel& kernel : family()) {
      const checks::Results ours = kernel.run();
      const ForcedIsa scalar(supported_isas().back());
      results.push_back({kernel.name, largest_difference(ours.values(), kernel.run().values()),
                         kernel.tolerance});
    }
  }
  return results;
}

}  // namespace eatt::kernels
