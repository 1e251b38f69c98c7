#include "model/fused_dropout.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include "kernels/rows/dropout.h"
#include "model/parts.h"

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

void keep(AutogradContext* context, const kernels::Dropout& dropout) {
  context->saved_data["seed"] = static_cast<int64_t>(dropout.seed);
  context->saved_data["threshold"] = static_cast<int64_t>(dropout.rate.threshold);
  context->saved_data["scale"] = static_cast<double>(dropout.rate.scale);
}

kernels::Dropout kept(AutogradContext* context) {
  auto& data = context->saved_data;
  return {.rate = {.threshold = static_cast<int32_t>(data["threshold"].toInt()),
                   .scale = static_cast<float>(data["scale"].toDouble())},
          .seed = static_cast<uint64_t>(data["seed"].toInt())};
}

// body(first element, how many) on libtorch's threads.
template <typename Body>
void for_each_part(const torch::Tensor& x, const Body& body) {
  at::parallel_for(0, x.numel(), kPartElements, [&](int64_t begin, int64_t end) {
    body(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  });
}

torch::Tensor drop(const torch::Tensor& x, const kernels::Dropout& dropout) {
  const auto contiguous = x.contiguous();
  auto out = torch::empty_like(contiguous);
  const float* from = contiguous.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for_each_part(out, [&](size_t first, size_t size) {
    kernels::drop(from + first, size, dropout, first, to + first);
  });
  return out;
}

struct DropoutFunction : torch::autograd::Function<DropoutFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const kernels::Dropout& dropout) {
    RECORD_FUNCTION("eatt::dropout", c10::ArrayRef<const c10::IValue>{});
    keep(context, dropout);
    return drop(x, dropout);
  }
  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    return {drop(incoming[0], kept(context)), torch::Tensor()};
  }
};

struct AddDropped : torch::autograd::Function<AddDropped> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& change, const kernels::Dropout& dropout) {
    RECORD_FUNCTION("eatt::add_dropped", c10::ArrayRef<const c10::IValue>{});
    keep(context, dropout);
    const auto kept_x = x.contiguous(), kept_change = change.contiguous();
    auto out = torch::empty_like(kept_x);
    const float* from = kept_x.data_ptr<float>();
    const float* added = kept_change.data_ptr<float>();
    float* to = out.data_ptr<float>();
    for_each_part(out, [&](size_t first, size_t size) {
      kernels::add_dropped(from + first, added + first, size, dropout, first, to + first);
    });
    return out;
  }
  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    return {incoming[0], drop(incoming[0], kept(context)), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor fused_dropout(const torch::Tensor& x, const kernels::Dropout& dropout) {
  return DropoutFunction::apply(x, dropout);
}

torch::Tensor fused_add_dropped(const torch::Tensor& x, const torch::Tensor& change,
                                const kernels::Dropout& dropout) {
  TORCH_CHECK(x.sizes() == change.sizes(), "x is ", x.sizes(), ", change ", change.sizes());
  return AddDropped::apply(x, change, dropout);
}

}  // namespace eatt
