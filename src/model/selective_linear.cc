#include "model/selective_linear.h"

#include <ATen/record_function.h>

#include "kernels/selection/selection.h"
#include "model/thread_scratch.h"

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using IndexPointer = std::shared_ptr<const CodeIndex>;

// Lets the backward pass find the index again: saved data of libtorch is of its own types only.
struct IndexHolder : torch::CustomClassHolder {
  explicit IndexHolder(IndexPointer held) : index(std::move(held)) {}
  IndexPointer index;
};

torch::Tensor select(const CodeIndex& index, const torch::Tensor& weight,
                     const torch::Tensor& bias) {
  const auto out = static_cast<size_t>(weight.size(0)), in = static_cast<size_t>(weight.size(1));
  auto result = torch::empty({index.rows(), weight.size(0)}, weight.options());
  const float* from = weight.data_ptr<float>();
  if (static_cast<size_t>(index.rows()) <= kernels::kFewSelectionRows) {
    float* rows = thread_scratch(in * out);
    kernels::pack_selection_rows(from, in, out, rows);
    kernels::select_from_rows(index.by_row(), rows, out, bias.data_ptr<float>(),
                              result.data_ptr<float>(), out);
    return result;
  }
  float* panels = thread_scratch(kernels::selection_panels_size(in, out));
  kernels::pack_selection_panels(from, in, out, panels);
  kernels::select_from_panels(index.by_row(), panels, out, bias.data_ptr<float>(),
                              result.data_ptr<float>(), out);
  return result;
}

torch::Tensor weight_gradient(const CodeIndex& index, const torch::Tensor& d_result) {
  const auto out = static_cast<size_t>(d_result.size(1)), in = static_cast<size_t>(index.dim());
  auto gradient = torch::empty({d_result.size(1), index.dim()}, d_result.options());
  kernels::selection_weight_gradient(
      index.by_feature(), d_result.data_ptr<float>(), out, out, gradient.data_ptr<float>(),
      thread_scratch(kernels::selection_weight_gradient_scratch(in)));
  return gradient;
}

torch::Tensor bias_gradient(const torch::Tensor& d_result) {
  auto sums = torch::empty({d_result.size(1)}, d_result.options());
  const auto out = static_cast<size_t>(d_result.size(1));
  kernels::column_sums(d_result.data_ptr<float>(), out, static_cast<size_t>(d_result.size(0)), out,
                       sums.data_ptr<float>());
  return sums;
}

// codes [rows, in] are those of the index; they are here for their gradient.
struct Select : torch::autograd::Function<Select> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& /*codes*/,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const IndexPointer& index) {
    context->save_for_backward({weight});
    context->saved_data["index"] =
        c10::IValue::make_capsule(c10::make_intrusive<IndexHolder>(index));
    return select(*index, weight.contiguous(), bias.contiguous());
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto weight = context->get_saved_variables()[0];
    const auto holder = context->saved_data["index"].toCapsule();
    const CodeIndex& index = *static_cast<IndexHolder&>(*holder).index;
    const auto d_result = incoming[0].contiguous();
    torch::Tensor d_codes;
    if (context->needs_input_grad(0)) d_codes = torch::mm(d_result, weight);
    return {d_codes, weight_gradient(index, d_result), bias_gradient(d_result), {}};
  }
};

}  // namespace

torch::Tensor selective_linear(const SelectionCodes& codes, const torch::Tensor& weight,
                               const torch::Tensor& bias) {
  RECORD_FUNCTION("eatt::selection", c10::ArrayRef<const c10::IValue>{});
  const auto& index = codes.index;
  if (index == nullptr ||
      !kernels::selection_is_sparse_enough(index->density(), static_cast<size_t>(index->rows()))) {
    return torch::linear(codes.values, weight, bias);
  }
  auto shape = codes.values.sizes().vec();
  shape.back() = weight.size(0);
  return Select::apply(codes.values.flatten(0, -2), weight, bias, index).view(shape);
}

}  // namespace eatt
