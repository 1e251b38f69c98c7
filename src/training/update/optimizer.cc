#include "training/update/optimizer.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/threads.h"
#include "kernels/rows/rows.h"

namespace eatt {

ParameterBuffer::ParameterBuffer(torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  offsets_.push_back(0);
  std::vector<torch::Tensor> rows;
  for (const auto& item : model.named_parameters()) {
    names_.push_back(item.key());
    shapes_.push_back(item.value().sizes().vec());
    offsets_.push_back(offsets_.back() + item.value().numel());
    rows.push_back(item.value().detach().flatten());
  }
  values_ = torch::cat(rows);
  adopt(model);
}

ParameterBuffer::ParameterBuffer(torch::nn::Module& model, const ParameterBuffer& other)
    : names_(other.names_),
      shapes_(other.shapes_),
      offsets_(other.offsets_),
      values_(other.values_) {
  adopt(model);
}

// Makes the model's tensors views of the rows.
void ParameterBuffer::adopt(torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  gradients_ = torch::zeros_like(values_);
  const auto parameters = model.named_parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    torch::Tensor parameter = parameters[i].value();
    parameter.set_data(part(values_, i));
    parameter.mutable_grad() = part(gradients_, i);  // backward() adds to what is there.
  }
}

torch::Tensor ParameterBuffer::part(const torch::Tensor& row, size_t i) const {
  return row.slice(0, offsets_[i], offsets_[i + 1]).view(shapes_[i]);
}

std::string ParameterBuffer::first_not_finite(const torch::Tensor& row) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!part(row, i).isfinite().all().item<bool>()) return names_[i];
  }
  return {};
}

namespace {

constexpr int64_t kChunk = 1 << 16;  // Fits into a core's cache.

template <typename Body>
void for_each_chunk(int64_t size, const Body& body) {
  const auto chunks = static_cast<size_t>((size + kChunk - 1) / kChunk);
  parallel_for(chunks, [&](size_t i) {
    const int64_t begin = static_cast<int64_t>(i) * kChunk;
    body(i, begin, std::min(kChunk, size - begin));
  });
}

// Σ body(begin, size) over the chunks, in their order: the same for any number of threads.
template <typename Body>
double sum_over_chunks(int64_t size, const Body& body) {
  std::vector<double> parts(static_cast<size_t>(size / kChunk + 1));
  for_each_chunk(size, [&](size_t i, int64_t begin, int64_t part) {
    parts[i] = body(begin, static_cast<size_t>(part));
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace

bool is_plain_row(const torch::Tensor& row) {
  return row.is_cpu() && row.scalar_type() == torch::kFloat && row.is_contiguous();
}

double squared_norm(const torch::Tensor& row) {
  RECORD_FUNCTION("eatt::squared_norm", c10::ArrayRef<const c10::IValue>{});
  const float* x = row.data_ptr<float>();
  return sum_over_chunks(row.numel(), [&](int64_t begin, size_t size) {
    return kernels::squared_norm(x + begin, size);
  });
}

double add_row(torch::Tensor& to, const torch::Tensor& from) {
  float* target = to.data_ptr<float>();
  const float* source = from.data_ptr<float>();
  return sum_over_chunks(to.numel(), [&](int64_t begin, size_t size) {
    return kernels::add_row(source + begin, size, target + begin);
  });
}

void adam_row(const AdamStep& step, const torch::Tensor& gradients, torch::Tensor& first_moment,
              torch::Tensor& second_moment, torch::Tensor& values) {
  RECORD_FUNCTION("eatt::adam", c10::ArrayRef<const c10::IValue>{});
  const auto number = [](double x) { return static_cast<float>(x); };
  const kernels::AdamNumbers numbers = {.gradient_scale = number(step.gradient_scale),
                                        .keep1 = number(step.beta1),
                                        .new1 = number(1 - step.beta1),
                                        .keep2 = number(step.beta2),
                                        .new2 = number(1 - step.beta2),
                                        .epsilon = number(step.epsilon),
                                        .step_size = number(step.step_size),
                                        .inverse_root = number(1 / step.root_correction)};
  const float* g = gradients.data_ptr<float>();
  float* m = first_moment.data_ptr<float>();
  float* v = second_moment.data_ptr<float>();
  float* p = values.data_ptr<float>();
  for_each_chunk(values.numel(), [&](size_t, int64_t begin, int64_t size) {
    kernels::adam_update(numbers, g + begin, static_cast<size_t>(size),
                         {m + begin, v + begin, p + begin});
  });
}

Adam::Adam(ParameterBuffer& parameters, const AdamOptions& options)
    : parameters_(parameters),
      options_(options),
      parts_{{0, parameters.values().numel(), 1}},
      first_moment_(torch::zeros_like(parameters.values())),
      second_moment_(torch::zeros_like(parameters.values())) {}

void Adam::set_rate_factor(const std::set<std::string>& names, double factor) {
  parts_.clear();
  for (size_t i = 0; i < parameters_.names().size(); ++i) {
    const double rate_factor = names.contains(parameters_.names()[i]) ? factor : 1;
    const int64_t begin = parameters_.offset(i), end = parameters_.offset(i + 1);
    if (parts_.empty() || parts_.back().rate_factor != rate_factor) {
      parts_.push_back({begin, end, rate_factor});
    } else {
      parts_.back().end = end;
    }
  }
}

void Adam::step(double learning_rate, double gradient_scale) {
  ++steps_;
  for (const Part& part : parts_) step(part, learning_rate * part.rate_factor, gradient_scale);
}

void Adam::step(const Part& part, double learning_rate, double gradient_scale) {
  const torch::NoGradGuard no_grad;
  const auto t = static_cast<double>(steps_);
  // The bias corrections 1/(1−βᵗ), folded into the step size and the denominator.
  const double correction1 = 1.0 - std::pow(options_.beta1, t);
  const double correction2 = std::sqrt(1.0 - std::pow(options_.beta2, t));
  const auto of = [&](const torch::Tensor& row) { return row.slice(0, part.begin, part.end); };
  auto gradients = of(parameters_.gradients()), values = of(parameters_.values());
  auto first = of(first_moment_), second = of(second_moment_);
  if (is_plain_row(gradients)) {
    adam_row({.gradient_scale = gradient_scale,
              .beta1 = options_.beta1,
              .beta2 = options_.beta2,
              .epsilon = options_.epsilon,
              .step_size = learning_rate / correction1,
              .root_correction = correction2},
             gradients, first, second, values);
    return;
  }
  const auto gradient = gradients * gradient_scale;
  first.lerp_(gradient, 1.0 - options_.beta1);
  second.mul_(options_.beta2).addcmul_(gradient, gradient, 1.0 - options_.beta2);
  const auto denominator = second.sqrt().div_(correction2).add_(options_.epsilon);
  values.addcdiv_(first, denominator, -learning_rate / correction1);
}

double norm_of(const torch::Tensor& row) {
  return is_plain_row(row) ? std::sqrt(squared_norm(row))
                           : row.norm(2, torch::kDouble).item<double>();
}

double clip_scale(double norm, double max_norm) {
  return max_norm > 0 && norm > max_norm ? max_norm / norm : 1.0;
}

}  // namespace eatt
