#include "energy/counted_scores.h"

#include <limits>

namespace eatt::energy::testing {
namespace {

// Weights of a head of a row, which add up to one.
std::vector<Fp32> softmax(const Tensor<Fp32>& scores, size_t line) {
  Fp32 most{-std::numeric_limits<float>::infinity()};
  for (size_t i = 0; i < scores.columns(); ++i) most = larger(most, scores.read(line, i));
  std::vector<Fp32> weights;
  Fp32 sum;
  for (size_t i = 0; i < scores.columns(); ++i) {
    weights.push_back(exponential(scores.read(line, i) - most));
    sum = sum + weights[i];
  }
  const Fp32 inverse = Fp32{1} / sum;
  for (Fp32& weight : weights) weight = weight * inverse;
  return weights;
}

}  // namespace

CountedScores::CountedScores(const AttentionWeights& weights, const AttentionShape& shape,
                             const Queries& queries, const KeptRows& keys)
    : weights_(weights), shape_(shape), queries_(queries), keys_(keys) {
  if (!std::holds_alternative<Tensor<Int16>>(queries)) return;
  Step step;
  for (size_t head = 0; head < shape.heads; ++head)
    units_.push_back(weights.units.value().read(0, head));
}

Tensor<Fp32> CountedScores::of(const SeeingRows& seeing) const {
  Step step;
  auto scores = activations(seeing.rows * shape_.heads, seeing.slots.size());
  for (size_t row = 0; row < seeing.rows; ++row) {
    for (size_t head = 0; head < shape_.heads; ++head) {
      for (size_t i = 0; i < seeing.slots.size(); ++i)
        scores.write(row * shape_.heads + head, i, score(seeing, row, head, i));
    }
  }
  return scores;
}

Fp32 CountedScores::score(const SeeingRows& seeing, size_t row, size_t head, size_t i) const {
  const size_t query_row = seeing.first_row + row;
  if (weights_.table) {
    const size_t longest = weights_.table->columns();
    return weights_.table->read(head * longest + seeing.position + row, i);
  }
  if (std::holds_alternative<Tensor<Int16>>(queries_))
    return integer_distance(query_row, seeing.slots[i], head);
  const auto& query = std::get<Tensor<Fp32>>(queries_);
  Fp32 sum;
  for (size_t c = head * shape_.head_dim; c < (head + 1) * shape_.head_dim; ++c) {
    const Fp32 q = query.read(query_row, c), k = key(seeing, i, c);
    sum = sum + (scores_by_distance(weights_.mechanism) ? magnitude(q - k) : q * k);
  }
  return scores_by_distance(weights_.mechanism) ? -sum : sum;
}

Fp32 CountedScores::key(const SeeingRows& seeing, size_t i, size_t column) const {
  return weights_.columns ? weights_.columns->read(i, column) : keys_.read(seeing.slots[i], column);
}

Fp32 CountedScores::integer_distance(size_t row, size_t slot, size_t head) const {
  const auto& query = std::get<Tensor<Int16>>(queries_);
  Int32 sum;
  for (size_t c = head * shape_.head_dim; c < (head + 1) * shape_.head_dim; ++c)
    sum = sum + widened<Int32>(magnitude(query.read(row, c) - keys_.read_whole(slot, c)));
  return -(converted<Fp32>(sum) * units_[head]);
}

void mix(const AttentionShape& shape, const Tensor<Fp32>& scores, const KeptRows& values,
         const SeeingRows& seeing, Tensor<Fp32>& mixed) {
  Step step;
  const size_t n = shape.value_head_dim;
  for (size_t line = 0; line < scores.rows(); ++line) {
    const std::vector<Fp32> weights = softmax(scores, line);
    const size_t row = line / shape.heads, head = line % shape.heads;
    for (size_t c = head * n; c < (head + 1) * n; ++c) {
      Fp32 sum;
      for (size_t i = 0; i < weights.size(); ++i)
        sum = sum + weights[i] * values.read(seeing.slots[i], c);
      mixed.write(seeing.first_row + row, c, sum);
    }
  }
}

}  // namespace eatt::energy::testing
