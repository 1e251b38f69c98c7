#include "model/products.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "kernels/selection/selection.h"
#include "model/building_blocks.h"

namespace eatt {
namespace product {
namespace {

kernels::Factor factor(const torch::Tensor& matrix, bool transposed = false) {
  expects(matrix.is_contiguous(), "a factor's rows follow each other in memory");
  return {matrix.data_ptr<float>(), static_cast<size_t>(matrix.size(1)), transposed};
}

constexpr size_t kMostScratch = 2 << 20;  // Floats.

// out [rows, columns] = a [rows, depth] · b (+ bias) (+ out)
void multiply(const kernels::Factor& a, const kernels::Factor& b, int64_t depth, torch::Tensor& out,
              const float* bias, bool accumulate) {
  const auto k = static_cast<size_t>(depth), n = static_cast<size_t>(out.size(1));
  const size_t size = kernels::packed_factor_size(k, n);
  torch::Tensor large;  // Such as the output layer's: a thread's scratch memory stays for good.
  if (size > kMostScratch) large = torch::empty({torch_size(size)}, out.options());
  float* packed = large.defined() ? large.data_ptr<float>() : thread_scratch(size);
  kernels::pack_factor(b, k, n, packed);
  run({.depth = k, .columns = n, .packed = packed, .bias = bias, .accumulate = accumulate}, a,
      out.size(0), out.data_ptr<float>());
}

// Tells a profiler of a product of `left` (or its transpose) and `right`, as aten::mm does.
class Recorded {
 public:
  Recorded(const torch::Tensor& left, bool left_transposed, const torch::Tensor& right,
           bool right_transposed)
      : guard_(at::RecordScope::FUNCTION) {
    if (!guard_.isActive()) return;
    factors_ = {left_transposed ? left.t() : left, right_transposed ? right.t() : right};
    guard_.before("eatt::product",
                  c10::ArrayRef<const c10::IValue>(factors_.data(), factors_.size()));
  }

 private:
  std::array<c10::IValue, 2> factors_;
  at::RecordFunction guard_;
};

}  // namespace

torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& weight,
                      const torch::Tensor& bias) {
  const Recorded recorded(x, false, weight, true);
  auto out = torch::empty({x.size(0), weight.size(0)}, x.options());
  multiply(factor(x), factor(weight, /*transposed=*/true), x.size(1), out,
           bias.defined() ? bias.data_ptr<float>() : nullptr, /*accumulate=*/false);
  return out;
}

torch::Tensor input_gradient(const torch::Tensor& d_result, const torch::Tensor& weight) {
  const Recorded recorded(d_result, false, weight, false);
  auto d_x = torch::empty({d_result.size(0), weight.size(1)}, d_result.options());
  multiply(factor(d_result), factor(weight), weight.size(0), d_x, nullptr, /*accumulate=*/false);
  return d_x;
}

void add_input_gradient(const torch::Tensor& d_result, const torch::Tensor& weight,
                        torch::Tensor& d_x) {
  const Recorded recorded(d_result, false, weight, false);
  multiply(factor(d_result), factor(weight), weight.size(0), d_x, nullptr, /*accumulate=*/true);
}

torch::Tensor weight_gradient(const torch::Tensor& d_result, const torch::Tensor& x) {
  const Recorded recorded(d_result, true, x, false);
  auto d_weight = torch::empty({d_result.size(1), x.size(1)}, x.options());
  multiply(factor(d_result, /*transposed=*/true), factor(x), x.size(0), d_weight, nullptr,
           /*accumulate=*/false);
  return d_weight;
}

torch::Tensor bias_gradient(const torch::Tensor& d_result) {
  const auto columns = static_cast<size_t>(d_result.size(1));
  auto sums = torch::empty({d_result.size(1)}, d_result.options());
  kernels::column_sums(d_result.data_ptr<float>(), columns, static_cast<size_t>(d_result.size(0)),
                       columns, sums.data_ptr<float>());
  return sums;
}

void run(const kernels::DenseProduct& product, const kernels::Factor& a, int64_t rows, float* out) {
  constexpr size_t kWorthAThread = 1 << 20;  // Multiplications.
  const size_t grain = kWorthAThread / std::max<size_t>(1, product.depth * product.columns) + 1;
  at::parallel_for(0, rows, torch_size(grain), [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin);
    kernels::Factor part = a;
    part.data += first * (a.transposed ? 1 : a.stride);
    kernels::dense_product(product, part, static_cast<size_t>(end) - first,
                           out + first * product.columns, product.columns);
  });
}

Packed::Packed(const torch::Tensor& matrix, bool transposed)
    : depth_(static_cast<size_t>(matrix.size(transposed ? 1 : 0))),
      columns_(static_cast<size_t>(matrix.size(transposed ? 0 : 1))),
      memory_(torch::empty({torch_size(kernels::packed_factor_size(depth_, columns_))},
                           matrix.options())) {
  kernels::pack_factor(factor(matrix, transposed), depth_, columns_, memory_.data_ptr<float>());
}

void Packed::multiply(const kernels::Factor& a, int64_t rows, float* out, bool accumulate) const {
  run({.depth = depth_,
       .columns = columns_,
       .packed = memory_.data_ptr<float>(),
       .accumulate = accumulate},
      a, rows, out);
}

}  // namespace product

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

torch::Tensor rows_of(const torch::Tensor& x) { return x.reshape({-1, x.size(-1)}).contiguous(); }

// Rows [count, width] in the shape of x, but for the width.
torch::Tensor in_shape_of(const torch::Tensor& x, const torch::Tensor& rows) {
  auto sizes = x.sizes().vec();
  sizes.back() = rows.size(1);
  return at::_unsafe_view(rows, sizes);
}

struct Project : torch::autograd::Function<Project> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias) {
    const auto rows = rows_of(x);
    context->save_for_backward({rows, weight});
    return in_shape_of(x, product::forward(rows, weight, bias));
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const auto d_result = rows_of(incoming[0]);
    torch::Tensor d_x;
    if (context->needs_input_grad(0)) {
      d_x = in_shape_of(incoming[0], product::input_gradient(d_result, saved[1]));
    }
    return {d_x, product::weight_gradient(d_result, saved[0]), product::bias_gradient(d_result)};
  }
};

struct ProjectWithoutBias : torch::autograd::Function<ProjectWithoutBias> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight) {
    const auto rows = rows_of(x);
    context->save_for_backward({rows, weight});
    return in_shape_of(x, product::forward(rows, weight, {}));
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const auto d_result = rows_of(incoming[0]);
    return {in_shape_of(incoming[0], product::input_gradient(d_result, saved[1])),
            product::weight_gradient(d_result, saved[0])};
  }
};

// The gradient of x is summed in one tensor.
struct ProjectByTwo : torch::autograd::Function<ProjectByTwo> {
  static tensor_list forward(AutogradContext* context, const torch::Tensor& x,
                             const torch::Tensor& weight1, const torch::Tensor& bias1,
                             const torch::Tensor& weight2, const torch::Tensor& bias2) {
    const auto rows = rows_of(x);
    context->save_for_backward({rows, weight1, weight2});
    return {in_shape_of(x, product::forward(rows, weight1, bias1)),
            in_shape_of(x, product::forward(rows, weight2, bias2))};
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& x = saved[0];
    const auto first = rows_of(incoming[0]), second = rows_of(incoming[1]);
    torch::Tensor d_x;
    if (context->needs_input_grad(0)) {
      d_x = product::input_gradient(first, saved[1]);
      product::add_input_gradient(second, saved[2], d_x);
      d_x = in_shape_of(incoming[0], d_x);
    }
    return {d_x, product::weight_gradient(first, x), product::bias_gradient(first),
            product::weight_gradient(second, x), product::bias_gradient(second)};
  }
};

// libtorch's operators take other layouts, and say what is wrong with sizes that do not fit.
bool kernel_takes(const torch::Tensor& x, const torch::Tensor& weight) {
  return fused_kernels_take(x) && fused_kernels_take(weight) && weight.is_contiguous() &&
         x.size(-1) == weight.size(1);
}

}  // namespace

torch::Tensor project(const torch::Tensor& x, const torch::Tensor& weight,
                      const torch::Tensor& bias) {
  return kernel_takes(x, weight) ? Project::apply(x, weight, bias.contiguous())
                                 : torch::linear(x, weight, bias);
}

torch::Tensor project(const torch::Tensor& x, const torch::nn::Linear& layer) {
  return layer->bias.defined() ? project(x, layer->weight, layer->bias) : project(x, layer->weight);
}

torch::Tensor project(const torch::Tensor& x, const torch::Tensor& weight) {
  return kernel_takes(x, weight) ? ProjectWithoutBias::apply(x, weight) : torch::linear(x, weight);
}

TwoProjections project_by_two(const torch::Tensor& x, const torch::nn::Linear& first,
                              const torch::nn::Linear& second) {
  if (!kernel_takes(x, first->weight) || !kernel_takes(x, second->weight)) {
    return {project(x, first), project(x, second)};
  }
  const auto both = ProjectByTwo::apply(x, first->weight, first->bias.contiguous(), second->weight,
                                        second->bias.contiguous());
  return {both[0], both[1]};
}

}  // namespace eatt
