#include "model/binary_selection.h"

#include <ATen/record_function.h>

#include <cmath>
#include <numbers>

#include "kernels/selection/selection_codes.h"
#include "model/fused.h"

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

bool kernels_take(const torch::Tensor& x, const torch::Tensor& threshold) {
  return fused_kernels_take(x) && fused_kernels_take(threshold) && x.is_contiguous() && x.dim() > 1;
}

torch::Tensor through_surrogate(const torch::Tensor& x, const torch::Tensor& threshold,
                                double width, const torch::Tensor& d_codes) {
  if (!kernels_take(x, threshold)) return d_codes * surrogate_slope(x, threshold, width);
  const auto incoming = d_codes.contiguous(), thresholds = threshold.contiguous();
  auto dx = torch::empty_like(x);
  if (x.numel() == 0) return dx;
  const auto dim = static_cast<size_t>(x.size(-1));
  kernels::surrogate_gradient(x.data_ptr<float>(), incoming.data_ptr<float>(),
                              static_cast<size_t>(x.numel()) / dim, dim,
                              {thresholds.data_ptr<float>(), /*per_feature=*/threshold.dim() > 0},
                              static_cast<float>(width), dx.data_ptr<float>());
  return dx;
}

struct Binarise : torch::autograd::Function<Binarise> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& threshold, double width,
                               std::shared_ptr<const CodeIndex>* index) {
    context->save_for_backward({x, threshold});
    context->saved_data["width"] = width;
    if (index == nullptr) return x.gt(threshold).to(x.scalar_type());
    *index = std::make_shared<CodeIndex>(x.flatten(0, -2), threshold.contiguous());
    auto codes = torch::empty_like(x);
    (*index)->write_floats(codes.data_ptr<float>());
    return codes;
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& threshold = saved[1];
    const auto dx = through_surrogate(saved[0], threshold, context->saved_data["width"].toDouble(),
                                      incoming[0]);
    torch::Tensor d_threshold;
    if (context->needs_input_grad(1)) d_threshold = -dx.sum_to_size(threshold.sizes());
    return {dx, d_threshold, {}, {}};
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

SelectionCodes binarise(const torch::Tensor& x, const torch::Tensor& threshold,
                        double surrogate_width) {
  RECORD_FUNCTION("eatt::codes", c10::ArrayRef<const c10::IValue>{});
  SelectionCodes codes;
  codes.values = Binarise::apply(x, threshold, surrogate_width,
                                 kernels_take(x, threshold) ? &codes.index : nullptr);
  return codes;
}

}  // namespace eatt
