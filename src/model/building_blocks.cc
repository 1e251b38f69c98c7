#include "model/building_blocks.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/rows/rows.h"
#include "model/products.h"

namespace eatt {

torch::Tensor xavier_uniform(torch::IntArrayRef shape) {
  const auto fans = static_cast<double>(shape[shape.size() - 1] + shape[shape.size() - 2]);
  const double bound = std::sqrt(6.0 / fans);
  return torch::empty(shape).uniform_(-bound, bound);
}

torch::nn::Linear linear(size_t in, size_t out, bool bias) {
  torch::nn::Linear layer(torch::nn::LinearOptions(torch_size(in), torch_size(out)).bias(bias));
  const torch::NoGradGuard no_grad;
  layer->weight.copy_(xavier_uniform({torch_size(out), torch_size(in)}));
  if (bias) layer->bias.zero_();
  return layer;
}

torch::Tensor embedding_weights(size_t vocab, size_t model_dim) {
  return torch::randn({torch_size(vocab), torch_size(model_dim)}) *
         std::pow(static_cast<double>(model_dim), -0.5);
}

torch::Tensor sinusoidal_positions(int64_t length, size_t model_dim) {
  const int64_t half = torch_size(model_dim / 2);
  const auto doubles = torch::TensorOptions(torch::kDouble);
  const double step = std::log(10000.0) / static_cast<double>(std::max<int64_t>(half - 1, 1));
  const auto frequencies = torch::exp(torch::arange(half, doubles) * -step);
  const auto angles = torch::arange(length, doubles).unsqueeze(1) * frequencies;
  return torch::cat({angles.sin(), angles.cos()}, 1).to(torch::kFloat);
}

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

namespace {

using kernels::HiddenRows;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// What the passes need beside the tensors.
struct Drop {
  std::optional<kernels::Dropout> dropout;

  // The kernels' view of rows [begin, end) of `out`.
  HiddenRows rows(const torch::Tensor& out, int64_t begin, int64_t end, const float* bias) const {
    const int64_t width = out.size(1);
    return {.rows = static_cast<size_t>(end - begin),
            .width = static_cast<size_t>(width),
            .bias = bias,
            .dropout = dropout ? &*dropout : nullptr,
            .first = static_cast<uint64_t>(begin * width)};
  }
};

struct HiddenUnits : torch::autograd::Function<HiddenUnits> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const Drop& drop) {
    const auto flat = x.reshape({-1, x.size(-1)}).contiguous();
    auto out = product::forward(flat, weight, {});  // [rows, width]
    const int64_t width = out.size(1);
    {
      RECORD_FUNCTION("eatt::bias_relu_drop", c10::ArrayRef<const c10::IValue>{});
      float* to = out.data_ptr<float>();
      const float* biases = bias.data_ptr<float>();
      at::parallel_for(0, out.size(0), rows_of_part(width), [&](int64_t begin, int64_t end) {
        kernels::bias_relu_drop(drop.rows(out, begin, end, biases), to + begin * width);
      });
    }
    context->save_for_backward({flat, weight, out});
    // Only the scale matters backward: what was dropped is 0 in the result.
    context->saved_data["scale"] = drop.dropout ? drop.dropout->rate.scale : 0.0;
    auto sizes = x.sizes().vec();
    sizes.back() = width;
    return at::_unsafe_view(out, sizes);
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &weight = saved[1], &out = saved[2];
    const auto outer = incoming[0].contiguous();
    Drop drop;
    if (const double scale = context->saved_data["scale"].toDouble(); scale > 0) {
      drop.dropout =
          kernels::Dropout{.rate = {.threshold = 0, .scale = static_cast<float>(scale)}, .seed = 0};
    }
    const int64_t rows = out.size(0), width = out.size(1), step = rows_of_part(width);
    const int64_t parts = std::max<int64_t>(1, (rows + step - 1) / step);
    auto inner = torch::empty_like(out);
    auto sums = torch::zeros({parts, width}, out.options());
    const float *through = out.data_ptr<float>(), *from = outer.data_ptr<float>();
    float *to = inner.data_ptr<float>(), *part_sums = sums.data_ptr<float>();
    at::parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        const int64_t begin = part * step, end = std::min(begin + step, rows);
        kernels::bias_relu_drop_backward(drop.rows(out, begin, end, nullptr),
                                         through + begin * width, from + begin * width,
                                         to + begin * width, part_sums + part * width);
      }
    });
    auto sizes = incoming[0].sizes().vec();
    sizes.back() = x.size(1);
    return {product::input_gradient(inner, weight).view(sizes), product::weight_gradient(inner, x),
            sums.sum(0), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor hidden_units(const torch::Tensor& x, torch::nn::Linear& linear, double dropout_rate,
                           const std::shared_ptr<Random>& random) {
  const bool drops = dropout_rate > 0;
  if (!fused_kernels_take(x) || (drops && random == nullptr)) {
    const auto hidden = torch::relu(linear->forward(x));
    return drops ? dropout(hidden, dropout_rate, random) : hidden;
  }
  Drop drop;
  if (drops)
    drop.dropout = kernels::Dropout{kernels::dropout_rate(dropout_rate), draw_dropout_seed(random)};
  return HiddenUnits::apply(x, linear->weight, linear->bias, drop);
}

}  // namespace eatt
