#include "reference_attention.h"

#include <cmath>
#include <vector>

namespace eatt::testing {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix to_matrix(const torch::Tensor& tensor) {
  const auto t = tensor.to(torch::kDouble).contiguous();
  Matrix m(static_cast<size_t>(t.size(0)), std::vector<double>(static_cast<size_t>(t.size(1))));
  for (size_t i = 0; i < m.size(); ++i) {
    for (size_t j = 0; j < m[i].size(); ++j) {
      m[i][j] = t[static_cast<int64_t>(i)][static_cast<int64_t>(j)].item<double>();
    }
  }
  return m;
}

// x·Wᵀ + b; name is that of a Linear.
Matrix project(const Matrix& x, const Parameters& parameters, const std::string& name) {
  const Matrix w = to_matrix(parameters.at(name + ".weight"));
  const auto bias = parameters.find(name + ".bias");
  Matrix y(x.size(), std::vector<double>(w.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t o = 0; o < w.size(); ++o) {
      double sum =
          bias == parameters.end() ? 0.0 : bias->second[static_cast<int64_t>(o)].item<double>();
      for (size_t k = 0; k < x[i].size(); ++k) sum += x[i][k] * w[o][k];
      y[i][o] = sum;
    }
  }
  return y;
}

double code_of(double x, const Architecture& a) {
  const double threshold = a.threshold.value;
  if (a.code_levels == 0) return x > threshold ? 1.0 : 0.0;
  double code = 0;
  for (size_t n = 1; n <= a.code_levels; ++n) {
    if (std::abs(x) > threshold * static_cast<double>(2 * n - 1)) code += 2 * threshold;
  }
  return x < 0 ? -code : code;
}

Matrix codes_of(Matrix x, const Architecture& a) {
  for (auto& row : x) {
    for (double& value : row) value = code_of(value, a);
  }
  return x;
}

// The raw scores of one head, before scale and mask.
class HeadScores {
 public:
  HeadScores(const Architecture& a, Role role, const Parameters& parameters, const Matrix& x,
             const Matrix& y)
      : mechanism_(a.attention(role).layers.at(0)), parameters_(parameters) {
    width_ = a.qk_head_dim();
    if (mechanism_ == Mechanism::dense) {
      query_ = project(x, parameters, "w1");
    } else if (mechanism_ != Mechanism::randinit) {
      const bool binary = binarises(mechanism_);
      query_ = project(binary ? codes_of(x, a) : x, parameters, "q_proj");
      key_ = project(binary ? codes_of(y, a) : y, parameters, "k_proj");
    }
  }

  double operator()(size_t head, size_t i, size_t j) const {
    const auto h = static_cast<int64_t>(head);
    const auto row = static_cast<int64_t>(i);
    const auto column = static_cast<int64_t>(j);
    if (mechanism_ == Mechanism::randinit) {
      return parameters_.at("score_table")[h][row][column].item<double>();
    }
    double sum = 0;
    for (size_t k = 0; k < width_; ++k) {
      const double q = query_[i][head * width_ + k];
      if (mechanism_ == Mechanism::dense) {
        const auto w2 = parameters_.at("w2.weight")[h][column][static_cast<int64_t>(k)];
        sum += std::max(q, 0.0) * w2.item<double>();
      } else {
        const double key = key_[j][head * width_ + k];
        sum += scores_by_distance(mechanism_) ? -std::abs(q - key) : q * key;
      }
    }
    return sum;
  }

 private:
  Mechanism mechanism_;
  const Parameters& parameters_;
  size_t width_;
  Matrix query_, key_;
};

}  // namespace

ReferenceAttention reference_attention(const Architecture& architecture, Role role,
                                       const Parameters& parameters, const torch::Tensor& x,
                                       const torch::Tensor& y, int64_t key_length, bool causal) {
  const Matrix xs = to_matrix(x);
  const Matrix ys = to_matrix(y);
  const HeadScores scores(architecture, role, parameters, xs, ys);
  const Matrix values = project(ys, parameters, "v_proj");
  const bool scaled = has_queries_and_keys(architecture.attention(role).layers.at(0));
  const double divisor = scaled ? score_divisor(architecture, role) : 1.0;
  const size_t heads = architecture.heads;
  const size_t width = architecture.value_head_dim();

  Matrix mixed(xs.size(), std::vector<double>(heads * width));
  const auto options = torch::TensorOptions(torch::kDouble);
  auto all_weights = torch::zeros({static_cast<int64_t>(heads), x.size(0), y.size(0)}, options);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t i = 0; i < xs.size(); ++i) {
      std::vector<double> weights(ys.size());
      double total = 0;
      for (size_t j = 0; j < ys.size(); ++j) {
        const bool hidden = static_cast<int64_t>(j) >= key_length || (causal && j > i);
        weights[j] = hidden ? 0.0 : std::exp(scores(head, i, j) / divisor);
        total += weights[j];
      }
      for (size_t j = 0; j < ys.size(); ++j) {
        const double weight = total > 0 ? weights[j] / total : 0.0;
        all_weights[static_cast<int64_t>(head)][static_cast<int64_t>(i)][static_cast<int64_t>(j)] =
            weight;
        for (size_t k = 0; k < width; ++k) {
          mixed[i][head * width + k] += weight * values[j][head * width + k];
        }
      }
    }
  }
  const Matrix out = project(mixed, parameters, "out_proj");
  auto output = torch::zeros({x.size(0), static_cast<int64_t>(architecture.model_dim)}, options);
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t k = 0; k < out[i].size(); ++k) {
      output[static_cast<int64_t>(i)][static_cast<int64_t>(k)] = out[i][k];
    }
  }
  return {output, all_weights};
}

}  // namespace eatt::testing
