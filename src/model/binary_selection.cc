#include "model/binary_selection.h"

#include <cmath>
#include <numbers>

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Binarise : torch::autograd::Function<Binarise> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& threshold, double width) {
    context->save_for_backward({x, threshold});
    context->saved_data["width"] = width;
    return x.gt(threshold).to(x.scalar_type());
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& threshold = saved[1];
    const auto dx =
        incoming[0] * surrogate_slope(saved[0], threshold, context->saved_data["width"].toDouble());
    torch::Tensor d_threshold;
    if (context->needs_input_grad(1)) d_threshold = -dx.sum_to_size(threshold.sizes());
    return {dx, d_threshold, torch::Tensor()};
  }
};

}  // namespace

torch::Tensor surrogate_slope(const torch::Tensor& x, const torch::Tensor& threshold,
                              double surrogate_width) {
  const double peak = std::sqrt(2.0 / std::numbers::pi) / surrogate_width;
  // In place on the one temporary: x is [tokens, model_dim], the largest activation there is.
  return (x - threshold)
      .square_()
      .mul_(-2.0 / (surrogate_width * surrogate_width))
      .exp_()
      .mul_(peak);
}

torch::Tensor binarise(const torch::Tensor& x, const torch::Tensor& threshold,
                       double surrogate_width) {
  return Binarise::apply(x, threshold, surrogate_width);
}

}  // namespace eatt
