#include "training/update/parameter_buffer.h"

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

}  // namespace eatt
