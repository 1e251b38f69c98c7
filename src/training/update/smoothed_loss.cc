#include "training/update/smoothed_loss.h"

#include "model/fused.h"
#include "training/update/fused_smoothed_loss.h"

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// On any device and in any precision. Forward makes the log-probabilities, backward one copy of
// them into the gradient.
struct SmoothedCrossEntropy : torch::autograd::Function<SmoothedCrossEntropy> {
  // → {smoothed sum, plain sum}
  static tensor_list forward(AutogradContext* context, const torch::Tensor& logits,
                             const torch::Tensor& labels, double smoothing) {
    const auto log_probs = torch::log_softmax(logits, -1);
    const auto likelihood = log_probs.gather(-1, labels.unsqueeze(-1)).sum().neg();
    // Σ over words of −mean log p: the part of the target that is spread over all words.
    auto sum = likelihood * (1.0 - smoothing);
    if (smoothing > 0) {
      sum = sum - log_probs.sum() * (smoothing / static_cast<double>(logits.size(-1)));
    }
    context->save_for_backward({log_probs, labels});
    context->saved_data["smoothing"] = smoothing;
    context->mark_non_differentiable({likelihood});
    return {sum, likelihood};
  }

  // softmax − target, times the incoming gradient.
  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const double smoothing = context->saved_data["smoothing"].toDouble();
    auto gradient = saved[0].exp();
    if (smoothing > 0) gradient.sub_(smoothing / static_cast<double>(gradient.size(-1)));
    const auto labels = saved[1].unsqueeze(-1);
    gradient.scatter_add_(-1, labels,
                          torch::full(labels.sizes(), smoothing - 1.0, gradient.options()));
    return {gradient.mul_(incoming[0]), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

Loss smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double smoothing,
                   LogitsUse use) {
  const auto sums = fused_kernels_take(logits)
                        ? fused_smoothed_loss(logits, labels, smoothing, use)
                        : SmoothedCrossEntropy::apply(logits, labels, smoothing);
  return {.sum = sums[0], .likelihood = sums[1].detach(), .words = labels.numel()};
}

torch::Tensor distillation_loss(const torch::Tensor& student, const torch::Tensor& teacher,
                                double temperature) {
  const auto wanted = torch::softmax(teacher.detach() / temperature, -1);
  const auto found = torch::log_softmax(student / temperature, -1);
  return (wanted * found).sum() * (-temperature * temperature);
}

}  // namespace eatt
