#include "model/selection.h"

#include <ATen/record_function.h>

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/selection/selection.h"
#include "kernels/selection/signed_codes.h"
#include "model/building_blocks.h"

namespace eatt {

CodeIndex::CodeIndex(const torch::Tensor& x, const torch::Tensor& threshold)
    : rows_(static_cast<size_t>(x.size(0))), dim_(static_cast<size_t>(x.size(1))) {
  bits_.resize(rows_ * kernels::code_words(dim_));
  ones_ = kernels::selection_codes(
      x.data_ptr<float>(), dim_, rows_, dim_,
      {threshold.data_ptr<float>(), /*per_feature=*/threshold.dim() > 0}, bits_.data());
}

double CodeIndex::density() const {
  const size_t size = rows_ * dim_;
  return size == 0 ? 0.0 : static_cast<double>(ones_) / static_cast<double>(size);
}

void CodeIndex::write_floats(float* codes) const {
  kernels::codes_to_floats(bits_.data(), rows_, dim_, codes, dim_);
}

void CodeIndex::fill(Lists& lists, const std::vector<uint64_t>& bits, size_t rows, size_t dim) {
  lists.positions.resize(kernels::code_positions_size(rows, dim));
  lists.counts.resize(kernels::code_counts_size(rows, dim));
  lists.lists =
      kernels::code_lists(bits.data(), rows, dim, lists.positions.data(), lists.counts.data());
}

const kernels::CodeLists& CodeIndex::by_row() const {
  std::call_once(by_row_.once, [this] { fill(by_row_, bits_, rows_, dim_); });
  return by_row_.lists;
}

const kernels::CodeLists& CodeIndex::by_feature() const {
  std::call_once(by_feature_.once, [this] {
    std::vector<uint64_t> transposed(dim_ * kernels::code_words(rows_));
    kernels::transpose_codes(bits_.data(), rows_, dim_, transposed.data());
    fill(by_feature_, transposed, dim_, rows_);
  });
  return by_feature_.lists;
}

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

// The integral of the bell: a smooth step from 0 to 1 at the threshold.
torch::Tensor smooth_step(const torch::Tensor& x, const torch::Tensor& threshold, double width) {
  return (x - threshold).mul_(std::numbers::sqrt2 / width).erf_().add_(1).mul_(0.5);
}

torch::Tensor scaled(const torch::Tensor& x, double factor) { return factor == 1 ? x : x * factor; }

struct Binarise : torch::autograd::Function<Binarise> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& threshold, const CodeTraining& training,
                               std::shared_ptr<const CodeIndex>* index) {
    context->save_for_backward({x, threshold});
    context->saved_data["width"] = training.surrogate_width;
    context->saved_data["gradient"] = training.gradient;
    const double hardness = training.hardness_now();
    if (hardness < 1) {
      return torch::lerp(smooth_step(x, threshold, training.surrogate_width),
                         x.gt(threshold).to(x.scalar_type()), hardness);
    }
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
    return {scaled(dx, context->saved_data["gradient"].toDouble()), d_threshold, {}, {}};
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
                        const CodeTraining& training) {
  RECORD_FUNCTION("eatt::codes", c10::ArrayRef<const c10::IValue>{});
  SelectionCodes codes;
  codes.values =
      Binarise::apply(x, threshold, training, kernels_take(x, threshold) ? &codes.index : nullptr);
  return codes;
}

namespace {

struct SignedCodes : torch::autograd::Function<SignedCodes> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& threshold, const SignedCodeShape& shape,
                               const CodeTraining& training) {
    context->save_for_backward({x, threshold});
    context->saved_data["levels"] = static_cast<int64_t>(shape.levels);
    context->saved_data["unit"] = shape.unit;
    context->saved_data["width"] = training.surrogate_width;
    context->saved_data["gradient"] = training.gradient;
    const double hardness = training.hardness_now();
    if (hardness < 1) {
      return torch::lerp(smooth(x, threshold, shape, training.surrogate_width),
                         hard(x, threshold, shape), hardness);
    }
    return hard(x, threshold, shape);
  }

  static torch::Tensor hard(const torch::Tensor& x, const torch::Tensor& threshold,
                            const SignedCodeShape& shape) {
    if (!kernels_take(x, threshold)) return by_torch(x, threshold, shape);
    auto codes = torch::empty_like(x);
    const auto thresholds = threshold.contiguous();
    const Rows rows(x);
    kernels::signed_code_values(x.data_ptr<float>(), rows.count, rows.dim,
                                coding(thresholds, shape), codes.data_ptr<float>());
    return codes;
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &threshold = saved[1];
    const SignedCodeShape shape{
        .levels = static_cast<size_t>(context->saved_data["levels"].toInt()),
        .unit = context->saved_data["unit"].toDouble()};
    const double width = context->saved_data["width"].toDouble();
    torch::Tensor d_threshold;
    if (context->needs_input_grad(1)) {
      const auto slope = slopes(x, threshold, shape, width, /*of_threshold=*/true);
      d_threshold = (incoming[0] * slope).sum_to_size(threshold.sizes());
    }
    const auto dx = through(x, threshold, shape, width, incoming[0]);
    return {scaled(dx, context->saved_data["gradient"].toDouble()), d_threshold, {}, {}};
  }

 private:
  struct Rows {
    explicit Rows(const torch::Tensor& x)
        : dim(static_cast<size_t>(x.size(-1))),
          count(dim == 0 ? 0 : static_cast<size_t>(x.numel()) / dim) {}
    size_t dim, count;
  };

  static kernels::SignedCoding coding(const torch::Tensor& threshold,
                                      const SignedCodeShape& shape) {
    return {.threshold = {threshold.data_ptr<float>(), /*per_feature=*/threshold.dim() > 0},
            .levels = shape.levels,
            .unit = static_cast<float>(shape.unit)};
  }

  static torch::Tensor by_torch(const torch::Tensor& x, const torch::Tensor& threshold,
                                const SignedCodeShape& shape) {
    auto codes = torch::zeros_like(x);
    const auto size = x.abs();
    for (size_t n = 1; n <= shape.levels; ++n) {
      codes += size.gt(threshold * static_cast<double>(2 * n - 1));
    }
    return codes * x.sign() * shape.unit;
  }

  static torch::Tensor smooth(const torch::Tensor& x, const torch::Tensor& threshold,
                              const SignedCodeShape& shape, double width) {
    auto codes = torch::zeros_like(x);
    for (size_t n = 1; n <= shape.levels; ++n) {
      const auto factor = static_cast<double>(2 * n - 1);
      codes += smooth_step(x, threshold * factor, width);
      codes -= smooth_step(-x, threshold * factor, width);
    }
    return codes * shape.unit;
  }

  // The surrogate derivative of the codes, by x or by the threshold.
  static torch::Tensor slopes(const torch::Tensor& x, const torch::Tensor& threshold,
                              const SignedCodeShape& shape, double width, bool of_threshold) {
    auto sum = torch::zeros_like(x);
    for (size_t n = 1; n <= shape.levels; ++n) {
      const auto factor = static_cast<double>(2 * n - 1);
      const auto above = surrogate_slope(x, threshold * factor, width);
      const auto below = surrogate_slope(x, threshold * -factor, width);
      sum += of_threshold ? (below - above) * factor : above + below;
    }
    return sum * shape.unit;
  }

  static torch::Tensor through(const torch::Tensor& x, const torch::Tensor& threshold,
                               const SignedCodeShape& shape, double width,
                               const torch::Tensor& d_codes) {
    if (!kernels_take(x, threshold)) {
      return d_codes * slopes(x, threshold, shape, width, /*of_threshold=*/false);
    }
    const auto incoming = d_codes.contiguous(), thresholds = threshold.contiguous();
    auto dx = torch::empty_like(x);
    const Rows rows(x);
    kernels::signed_code_gradient(x.data_ptr<float>(), incoming.data_ptr<float>(), rows.count,
                                  rows.dim, coding(thresholds, shape), static_cast<float>(width),
                                  dx.data_ptr<float>());
    return dx;
  }
};

}  // namespace

SelectionCodes signed_codes(const torch::Tensor& x, const torch::Tensor& threshold,
                            const SignedCodeShape& shape, const CodeTraining& training) {
  RECORD_FUNCTION("eatt::codes", c10::ArrayRef<const c10::IValue>{});
  return {SignedCodes::apply(x, threshold, shape, training), nullptr};
}

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

const CodeIndex& kept_index(AutogradContext* context) {
  const auto holder = context->saved_data["index"].toCapsule();
  return *static_cast<IndexHolder&>(*holder).index;
}

void keep(AutogradContext* context, const IndexPointer& index) {
  context->saved_data["index"] = c10::IValue::make_capsule(c10::make_intrusive<IndexHolder>(index));
}

// codes [rows, in] are those of the index; they are here for their gradient.
struct Select : torch::autograd::Function<Select> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& /*codes*/,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const IndexPointer& index) {
    context->save_for_backward({weight});
    keep(context, index);
    return select(*index, weight.contiguous(), bias.contiguous());
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto weight = context->get_saved_variables()[0].contiguous();
    const CodeIndex& index = kept_index(context);
    const auto d_result = incoming[0].contiguous();
    torch::Tensor d_codes;
    if (context->needs_input_grad(0)) d_codes = product::input_gradient(d_result, weight);
    return {d_codes, weight_gradient(index, d_result), product::bias_gradient(d_result), {}};
  }
};

// The gradient of the codes is summed in one tensor.
struct SelectByTwo : torch::autograd::Function<SelectByTwo> {
  // layers: weight and bias of the first, weight and bias of the second.
  static tensor_list forward(AutogradContext* context, const torch::Tensor& /*codes*/,
                             const at::TensorList& layers, const IndexPointer& index) {
    context->save_for_backward({layers[0], layers[2]});
    keep(context, index);
    return {select(*index, layers[0].contiguous(), layers[1].contiguous()),
            select(*index, layers[2].contiguous(), layers[3].contiguous())};
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto weights = context->get_saved_variables();
    const CodeIndex& index = kept_index(context);
    const auto first = incoming[0].contiguous(), second = incoming[1].contiguous();
    torch::Tensor d_codes;
    if (context->needs_input_grad(0)) {
      d_codes = product::input_gradient(first, weights[0].contiguous());
      product::add_input_gradient(second, weights[1].contiguous(), d_codes);
    }
    return {d_codes,
            weight_gradient(index, first),
            product::bias_gradient(first),
            weight_gradient(index, second),
            product::bias_gradient(second),
            {}};
  }
};

bool adds_rows(const SelectionCodes& codes) {
  const auto& index = codes.index;
  return index != nullptr &&
         kernels::selection_is_sparse_enough(index->density(), static_cast<size_t>(index->rows()));
}

}  // namespace

torch::Tensor selective_linear(const SelectionCodes& codes, const torch::Tensor& weight,
                               const torch::Tensor& bias) {
  RECORD_FUNCTION("eatt::selection", c10::ArrayRef<const c10::IValue>{});
  if (!adds_rows(codes)) return project(codes.values, weight, bias);
  auto shape = codes.values.sizes().vec();
  shape.back() = weight.size(0);
  return Select::apply(codes.values.flatten(0, -2), weight, bias, codes.index).view(shape);
}

TwoProjections select_by_two(const SelectionCodes& codes, const torch::nn::Linear& first,
                             const torch::nn::Linear& second) {
  RECORD_FUNCTION("eatt::selection", c10::ArrayRef<const c10::IValue>{});
  if (!adds_rows(codes)) return project_by_two(codes.values, first, second);
  auto shape = codes.values.sizes().vec();
  shape.back() = first->weight.size(0);
  const std::array<torch::Tensor, 4> layers = {first->weight, first->bias, second->weight,
                                               second->bias};
  const auto both =
      SelectByTwo::apply(codes.values.flatten(0, -2), at::TensorList(layers), codes.index);
  return {both[0].view(shape), both[1].view(shape)};
}

}  // namespace eatt
