#include "training/validation/density.h"

#include <algorithm>

namespace eatt {
namespace {

// [batch, len, 1]: 1 where a token is no padding.
torch::Tensor existing(const TokenBatch& side) {
  const auto positions = torch::arange(side.tokens.size(1), side.lengths.options());
  return positions.lt(side.lengths.unsqueeze(1)).unsqueeze(-1);
}

}  // namespace

double Densities::mean() const {
  double sum = 0;
  double count = 0;
  const auto add = [&](double density) {
    if (density < 0) return;
    sum += density;
    ++count;
  };
  for (const auto* role : {&encoder_self, &decoder_self, &cross_query}) {
    std::ranges::for_each(*role, add);
  }
  add(cross_key);
  return count > 0 ? sum / count : -1;
}

void DensityCounter::add(const torch::Tensor& codes, const torch::Tensor& exists, Count& count) {
  if (!codes.defined()) return;
  count.ones += (codes.detach() * exists).sum().item<double>();
  count.all += exists.sum().item<double>() * static_cast<double>(codes.size(-1));
}

void DensityCounter::add(const ModelTrace& trace, const TokenBatch& source,
                         const TokenBatch& target) {
  const auto source_exists = existing(source);
  const auto target_exists = existing(target);
  encoder_self_.resize(trace.encoder_self.size());
  decoder_self_.resize(trace.decoder_self.size());
  cross_query_.resize(trace.cross.size());
  for (size_t i = 0; i < trace.encoder_self.size(); ++i) {
    add(trace.encoder_self[i].query_codes, source_exists, encoder_self_[i]);
  }
  bool counted_keys = false;
  for (size_t i = 0; i < trace.cross.size(); ++i) {
    add(trace.decoder_self[i].query_codes, target_exists, decoder_self_[i]);
    add(trace.cross[i].query_codes, target_exists, cross_query_[i]);
    if (trace.cross[i].key_codes.defined() && !counted_keys) {
      add(trace.cross[i].key_codes, source_exists, cross_key_);
      counted_keys = true;
    }
  }
}

void DensityCounter::add(const DensityCounter& other) {
  const auto add_all = [](std::vector<Count>& to, const std::vector<Count>& from) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  add_all(encoder_self_, other.encoder_self_);
  add_all(decoder_self_, other.decoder_self_);
  add_all(cross_query_, other.cross_query_);
  cross_key_ += other.cross_key_;
}

Densities DensityCounter::densities() const {
  const auto shares = [](const std::vector<Count>& counts) {
    std::vector<double> result;
    for (const Count& count : counts) result.push_back(count.share());
    return result;
  };
  return {shares(encoder_self_), shares(decoder_self_), shares(cross_query_), cross_key_.share()};
}

}  // namespace eatt
