#include "model/hidden_units.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <optional>

#include "kernels/rows/dropout.h"
#include "model/dropout.h"
#include "model/fused.h"
#include "model/parts.h"

namespace eatt {
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
    const auto flat = x.reshape({-1, x.size(-1)});
    auto out = torch::mm(flat, weight.t());  // [rows, width]
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
    return {torch::mm(inner, weight).view(sizes), torch::mm(inner.t(), x), sums.sum(0),
            torch::Tensor()};
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
