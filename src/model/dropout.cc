#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <limits>

#include "base/error.h"
#include "model/building_blocks.h"

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

// By our kernels: float on the CPU, any shape, one pass over memory forward and one backward; only
// the seed is kept between them.
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
                               const torch::Tensor& delta, const kernels::Dropout& dropout) {
    RECORD_FUNCTION("eatt::add_dropped", c10::ArrayRef<const c10::IValue>{});
    keep(context, dropout);
    const auto kept_x = x.contiguous(), kept_delta = delta.contiguous();
    auto out = torch::empty_like(kept_x);
    const float* from = kept_x.data_ptr<float>();
    const float* added = kept_delta.data_ptr<float>();
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

// 0 or 1 / (1 − rate) for each element of x: the mask of the kernels as a tensor.
torch::Tensor mask_for(const torch::Tensor& x, const kernels::Dropout& dropout) {
  auto mask = torch::ones(x.sizes(), torch::kFloat);
  float* numbers = mask.data_ptr<float>();
  kernels::drop(numbers, static_cast<size_t>(mask.numel()), dropout, /*first=*/0, numbers);
  return mask.to(x.scalar_type());
}

}  // namespace

uint64_t draw_dropout_seed(const std::shared_ptr<Random>& random) {
  if (random != nullptr) return random->next();
  return static_cast<uint64_t>(
      torch::randint(std::numeric_limits<int64_t>::max(), {1}, torch::TensorOptions(torch::kLong))
          .item<int64_t>());
}

torch::Tensor dropout(const torch::Tensor& x, double rate, const std::shared_ptr<Random>& random) {
  if (random == nullptr || !x.is_cpu()) return torch::dropout(x, rate, /*train=*/true);
  const kernels::Dropout drawn = {kernels::dropout_rate(rate), draw_dropout_seed(random)};
  return fused_kernels_take(x) ? DropoutFunction::apply(x, drawn) : x * mask_for(x, drawn);
}

torch::Tensor drop_attention(const torch::Tensor& weights, double rate,
                             const std::shared_ptr<Random>& random) {
  if (random == nullptr || !weights.is_cpu()) return torch::dropout(weights, rate, /*train=*/true);
  const kernels::Dropout drawn = {kernels::dropout_rate(rate), draw_dropout_seed(random)};
  auto mask = torch::ones(weights.sizes(), torch::kFloat);
  const auto width = static_cast<size_t>(weights.size(-1));
  const size_t rows = width == 0 ? 0 : static_cast<size_t>(weights.numel()) / width;
  for (size_t row = 0; row < rows; ++row) {
    float* numbers = mask.data_ptr<float>() + row * width;
    kernels::drop(numbers, width, drawn, row * kernels::kDropoutBlock, numbers);
  }
  return weights * mask.to(weights.scalar_type());
}

torch::Tensor add_dropped(const torch::Tensor& x, const torch::Tensor& delta, double rate,
                          const std::shared_ptr<Random>& random) {
  if (random == nullptr || !fused_kernels_take(x)) return x + dropout(delta, rate, random);
  expects(x.sizes() == delta.sizes(), "both terms of a residual sum have one shape");
  const kernels::Dropout drawn = {kernels::dropout_rate(rate), draw_dropout_seed(random)};
  return AddDropped::apply(x, delta, drawn);
}

}  // namespace eatt
