#include "training/run/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "model/building_blocks.h"
#include "training/update/batches.h"

namespace eatt {
namespace {

constexpr size_t kPairs = 512;
constexpr size_t kPieces = 16'000;  // On either side: enough for quantiles, read in seconds.
constexpr size_t kPairsAtOnce = 32;

// x [batch, len, model_dim] → [tokens, model_dim]
torch::Tensor without_padding(const torch::Tensor& x, const torch::Tensor& lengths) {
  const auto positions = torch::arange(x.size(1), lengths.options());
  return x.index({positions.lt(lengths.unsqueeze(1))});
}

// At most kPairs pairs and about kPieces pieces, from all parts of the data.
std::vector<PiecePair> sample(const DataSet& data, size_t max_length) {
  size_t usable = 0, pieces = 0;
  const auto each_usable = [&](const auto& body) {
    data.each_length([&](size_t i, PairLength length) {
      const size_t longer = std::max(length.source, length.target);
      if (longer <= max_length) body(i, longer);
    });
  };
  each_usable([&](size_t, size_t longer) {
    ++usable;
    pieces += longer;
  });
  if (usable == 0) {
    throw Error(
        fmt::format("{}: has no pair of at most {} pieces, the longest that both models read, to "
                    "start from a model with other attention; leave out --init-from",
                    data.folder().string(), max_length));
  }
  const size_t average = std::max<size_t>(1, pieces / usable);
  const size_t count = std::min({kPairs, usable, std::max<size_t>(1, kPieces / average)});
  std::vector<uint64_t> indices;
  size_t seen = 0;
  each_usable([&](size_t i, size_t) {
    if (seen++ == indices.size() * usable / count && indices.size() < count) indices.push_back(i);
  });
  return read_pairs(data, indices);
}

// Thresholds that each feature (for signed codes, its magnitude) exceeds as often as a standard
// normal variable exceeds the architecture's. → [features]
torch::Tensor thresholds_by_quantile(const torch::Tensor& x, const Architecture& architecture) {
  const bool both_sides = architecture.code_levels > 0;
  const double tail = std::erfc(architecture.threshold.value / std::numbers::sqrt2);
  const double density = both_sides ? tail : tail / 2;
  const auto size = both_sides ? x.abs() : x;
  const int64_t below = size.size(0) - std::llround(density * static_cast<double>(size.size(0)));
  const auto thresholds = std::get<0>(size.kthvalue(std::max<int64_t>(below, 1), 0));
  // Below that limit, a threshold of signed codes would never learn.
  return both_sides ? thresholds.clamp_min(kLeastSignedThreshold) : thresholds;
}

}  // namespace

const torch::Tensor& AttentionInputs::of(const CodeProjection& projection) const {
  if (projection.reads_memory) return memory;
  switch (projection.role) {
    case Role::encoder_self:
      return encoder_self.at(projection.layer);
    case Role::decoder_self:
      return decoder_self.at(projection.layer);
    case Role::cross:
      break;
  }
  return cross.at(projection.layer);
}

AttentionInputs attention_inputs(Transformer& model, const DataSet& data, size_t max_length) {
  const torch::NoGradGuard no_grad;
  const std::vector<PiecePair> pairs = sample(data, max_length);
  AttentionInputs inputs;
  const auto add = [](torch::Tensor& to, const torch::Tensor& x, const torch::Tensor& lengths) {
    const auto rows = without_padding(x, lengths);
    to = to.defined() ? torch::cat({to, rows}) : rows;
  };
  const auto add_layers = [&](std::vector<torch::Tensor>& to,
                              const std::vector<AttentionTrace>& layers,
                              const torch::Tensor& lengths) {
    to.resize(layers.size());
    for (size_t i = 0; i < layers.size(); ++i) add(to[i], layers[i].query_input, lengths);
  };
  for (size_t i = 0; i < pairs.size(); i += kPairsAtOnce) {
    const TrainingBatch batch =
        make_batch(std::span(pairs).subspan(i, std::min(kPairsAtOnce, pairs.size() - i)));
    ModelTrace trace = {.wants_weights = false};
    const Memory memory = model->encode(batch.source, &trace);
    model->decode(memory, batch.target, &trace);
    add_layers(inputs.encoder_self, trace.encoder_self, batch.source.lengths);
    add_layers(inputs.decoder_self, trace.decoder_self, batch.target.lengths);
    add_layers(inputs.cross, trace.cross, batch.target.lengths);
    add(inputs.memory, memory.states, batch.source.lengths);
  }
  return inputs;
}

CodeFit fit_codes(const torch::Tensor& x, const torch::Tensor& codes) {
  const auto wide_x = x.to(torch::kDouble), wide_codes = codes.to(torch::kDouble);
  const auto mean = wide_x.mean(0), code_mean = wide_codes.mean(0);
  const auto centered = wide_codes - code_mean;
  const auto variance = centered.square().mean(0);
  const auto covariance = (centered * wide_x).mean(0);
  const auto slope = torch::where(variance > 0, covariance / variance, torch::zeros_like(variance));
  return {slope, mean - slope * code_mean};
}

std::vector<CodeProjection> projections_to_convert(const Architecture& theirs,
                                                   const Architecture& ours,
                                                   const NamedWeights& weights) {
  auto found = code_projections(ours);
  std::erase_if(found, [&](const CodeProjection& projection) {
    const auto& layers = theirs.attention(projection.role).layers;
    if (projection.layer >= layers.size() || binarises(layers[projection.layer])) return true;
    const auto weight = weights.find(projection.weight);
    return weight == weights.end() || weight->second.size(1) != torch_size(ours.model_dim);
  });
  return found;
}

void convert_to_codes(const std::vector<CodeProjection>& projections, const AttentionInputs& inputs,
                      const Architecture& ours, NamedWeights& weights) {
  const torch::NoGradGuard no_grad;
  for (const CodeProjection& projection : projections) {
    const torch::Tensor& x = inputs.of(projection);
    auto threshold = torch::tensor(ours.threshold.value);
    if (ours.threshold.learned) {
      // Codes that several projections read have one threshold.
      auto& learned = weights[projection.threshold];
      if (!learned.defined()) learned = thresholds_by_quantile(x, ours);
      threshold = learned;
    }
    const CodeFit fit = fit_codes(x, make_codes(x, threshold, ours).values);
    auto &weight = weights.at(projection.weight), &bias = weights.at(projection.bias);
    const auto wide = weight.to(torch::kDouble);
    bias = (bias + wide.matmul(fit.offset)).to(torch::kFloat);
    weight = (wide * fit.slope).to(torch::kFloat);
  }
}

}  // namespace eatt
