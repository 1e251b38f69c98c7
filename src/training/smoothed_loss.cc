#include "training/smoothed_loss.h"

namespace eatt {

Loss smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double smoothing) {
  const auto log_probs = torch::log_softmax(logits, -1);
  const auto likelihood = torch::nll_loss(log_probs, labels, {}, torch::Reduction::Sum);
  // Σ over words of −mean log p: the part of the target that is spread over all words.
  const auto spread = log_probs.sum() * (-1.0 / static_cast<double>(logits.size(-1)));
  return {.sum = likelihood * (1.0 - smoothing) + spread * smoothing,
          .likelihood = likelihood.detach(),
          .words = labels.numel()};
}

torch::Tensor distillation_loss(const torch::Tensor& student, const torch::Tensor& teacher,
                                double temperature) {
  const auto wanted = torch::softmax(teacher.detach() / temperature, -1);
  const auto found = torch::log_softmax(student / temperature, -1);
  return (wanted * found).sum() * (-temperature * temperature);
}

}  // namespace eatt
