#pragma once

#include <torch/torch.h>

#include <set>
#include <string>
#include <vector>

namespace eatt {

// All parameters of a model in one long row, and all gradients in another. The model's tensors
// become views of them, so whatever touches every parameter (the optimizer, clipping, averages,
// checkpoints) is a handful of operations on two long rows instead of thousands on short ones.
class ParameterBuffer {
 public:
  explicit ParameterBuffer(torch::nn::Module& model);
  // For a copy of the model that shares the values of `other` and has its own gradients.
  ParameterBuffer(torch::nn::Module& model, const ParameterBuffer& other);

  torch::Tensor& values() { return values_; }        // [size]
  torch::Tensor& gradients() { return gradients_; }  // [size], added to by backward()

  // The parameters' names, in their order in the row.
  const std::vector<std::string>& names() const { return names_; }

  // Where parameter i begins in a row; for i = names().size(), the size of the row.
  int64_t offset(size_t i) const { return offsets_[i]; }

  // The part of a row such as values() that belongs to parameter i, in its shape.
  torch::Tensor part(const torch::Tensor& row, size_t i) const;

  // The first parameter whose part of `row` holds a NaN or an infinity; empty if none does.
  std::string first_not_finite(const torch::Tensor& row) const;

 private:
  void adopt(torch::nn::Module& model);

  std::vector<std::string> names_;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<int64_t> offsets_;  // One more than parameters: the last is the size.
  torch::Tensor values_, gradients_;
};

// Passes over whole rows of parameters, on all threads: libtorch's own operators would go over
// memory once for each step of a formula. Rows are float and on the CPU; results do not depend on
// the number of threads.

// Whether a row can be given to the functions below.
bool is_plain_row(const torch::Tensor& row);

// Σ x², summed in double.
double squared_norm(const torch::Tensor& row);

// to += from; returns Σ to² of the result.
double add_row(torch::Tensor& to, const torch::Tensor& from);

struct AdamStep {
  double gradient_scale;  // Gradients are multiplied by it first.
  double beta1, beta2, epsilon;
  double step_size;        // Learning rate over the first bias correction.
  double root_correction;  // √ of the second bias correction.
};

// One update of values and both moments.
void adam_row(const AdamStep& step, const torch::Tensor& gradients, torch::Tensor& first_moment,
              torch::Tensor& second_moment, torch::Tensor& values);

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
};

// Adam over a ParameterBuffer. Its whole state is two rows and a count, so a checkpoint holds it
// exactly.
class Adam {
 public:
  Adam(ParameterBuffer& parameters, const AdamOptions& options);

  // Parameters with these names learn at `factor` times the learning rate, from now on.
  void set_rate_factor(const std::set<std::string>& names, double factor);

  // One update from gradient_scale · parameters.gradients(), which are left as they are.
  void step(double learning_rate, double gradient_scale = 1);

  torch::Tensor& first_moment() { return first_moment_; }
  torch::Tensor& second_moment() { return second_moment_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  // A part of the rows with one learning rate.
  struct Part {
    int64_t begin, end;
    double rate_factor;
  };
  void step(const Part& part, double learning_rate, double gradient_scale);

  ParameterBuffer& parameters_;
  AdamOptions options_;
  std::vector<Part> parts_;  // Of the whole row, in its order.
  torch::Tensor first_moment_, second_moment_;
  int64_t steps_ = 0;
};

// The row's Euclidean norm, summed in double; not finite if the row is not.
double norm_of(const torch::Tensor& row);

// The factor that brings a gradient of this norm down to `max_norm`; a `max_norm` of 0 is no limit.
double clip_scale(double norm, double max_norm);

}  // namespace eatt
