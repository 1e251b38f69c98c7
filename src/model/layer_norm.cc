#include "model/layer_norm.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>

#include "kernels/rows/layer_norm.h"
#include "model/fused.h"
#include "model/initialisation.h"
#include "model/parts.h"

namespace eatt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct FusedLayerNorm : torch::autograd::Function<FusedLayerNorm> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input,
                               const torch::Tensor& gain, const torch::Tensor& bias,
                               double epsilon) {
    RECORD_FUNCTION("eatt::layer_norm", c10::ArrayRef<const c10::IValue>{});
    const auto x = input.contiguous();
    const int64_t width = gain.numel(), rows = x.numel() / width;
    auto out = torch::empty_like(x);
    auto moments = torch::empty({2, rows}, x.options());
    const float* from = x.data_ptr<float>();
    float* to = out.data_ptr<float>();
    float* means = moments.data_ptr<float>();
    const float *gains = gain.data_ptr<float>(), *biases = bias.data_ptr<float>();
    at::parallel_for(0, rows, rows_of_part(width), [&](int64_t begin, int64_t end) {
      kernels::layer_norm({.x = from + begin * width,
                           .rows = static_cast<size_t>(end - begin),
                           .width = static_cast<size_t>(width),
                           .gain = gains,
                           .bias = biases,
                           .epsilon = static_cast<float>(epsilon)},
                          to + begin * width, {means + begin, means + rows + begin});
    });
    context->save_for_backward({x, gain, moments});
    return out;
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &gain = saved[1], &moments = saved[2];
    const auto outer = incoming[0].contiguous();
    const int64_t width = gain.numel(), rows = x.numel() / width;
    const int64_t step = rows_of_part(width),
                  parts = std::max<int64_t>(1, (rows + step - 1) / step);
    auto dx = torch::empty_like(x);
    auto sums = torch::zeros({parts, 2, width}, x.options());  // Of gain and bias, part by part.
    const float *from = x.data_ptr<float>(), *gains = gain.data_ptr<float>();
    const float* dy = outer.data_ptr<float>();
    float *means = moments.data_ptr<float>(), *to = dx.data_ptr<float>();
    float* part_sums = sums.data_ptr<float>();
    at::parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        const int64_t begin = part * step, end = std::min(begin + step, rows);
        float* dgain = part_sums + part * 2 * width;
        kernels::layer_norm_backward({.x = from + begin * width,
                                      .rows = static_cast<size_t>(end - begin),
                                      .width = static_cast<size_t>(width),
                                      .gain = gains,
                                      .bias = nullptr,
                                      .epsilon = 0},
                                     {means + begin, means + rows + begin}, dy + begin * width,
                                     {to + begin * width, dgain, dgain + width});
      }
    });
    const auto total = sums.sum(0);
    return {dx, total[0], total[1], torch::Tensor()};
  }
};

}  // namespace

torch::nn::LayerNorm layer_norm(const Architecture& architecture) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({torch_size(architecture.model_dim)})
                                  .eps(architecture.norm_epsilon));
}

torch::Tensor normalise(const torch::Tensor& x, torch::nn::LayerNorm& norm) {
  if (!fused_kernels_take(x) || !norm->weight.is_contiguous()) return norm->forward(x);
  return FusedLayerNorm::apply(x, norm->weight, norm->bias, norm->options.eps());
}

}  // namespace eatt
