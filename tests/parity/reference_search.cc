#include "reference_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/threads.h"
#include "text/pieces/pieces.h"
#include "training/update/batches.h"

namespace eatt {
namespace {

using Sentences = std::span<const std::vector<int32_t>>;

// Sentences that are still being translated, one row each.
class Rows {
 public:
  Rows(Transformer& model, Sentences sources, std::span<const size_t> order,
       const GreedyOptions& options, std::vector<GreedyTranslation>& translations)
      : model_(model), translations_(translations), device_(model->parameters()[0].device()) {
    std::vector<std::vector<int32_t>> sentences;
    const auto& architecture = model->architecture();
    const int64_t most = has_length_limit(architecture) ? architecture.max_length
                                                        : std::numeric_limits<int64_t>::max();
    for (const size_t i : order) {
      sentences.push_back(sources[i]);
      sentence_.push_back(i);
      const double limit = options.length_factor * static_cast<double>(sources[i].size());
      limit_.push_back(std::min(static_cast<int64_t>(limit) + options.length_extra, most));
    }
    memory_ = model->encode(make_source_batch(sentences, device_));
    tokens_ = torch::full({static_cast<int64_t>(order.size()), 1}, int64_t{kStartPiece}, device_);
  }

  bool empty() const { return sentence_.empty(); }

  // One more piece for every row; rows that end leave.
  void step() {
    const auto best = choose();
    const auto pieces = std::get<1>(best).to(torch::kCPU);
    const auto scores = std::get<0>(best).to(torch::kCPU, torch::kDouble);
    tokens_ = torch::cat({tokens_, pieces.to(device_).unsqueeze(1)}, 1);
    std::vector<int64_t> staying;
    for (size_t row = 0; row < sentence_.size(); ++row) {
      GreedyTranslation& translation = translations_[sentence_[row]];
      const auto piece = static_cast<int32_t>(pieces[static_cast<int64_t>(row)].item<int64_t>());
      translation.log_probability += scores[static_cast<int64_t>(row)].item<double>();
      if (piece == kEndPiece) continue;
      translation.pieces.push_back(piece);
      if (static_cast<int64_t>(translation.pieces.size()) < limit_[row]) {
        staying.push_back(static_cast<int64_t>(row));
      }
    }
    if (staying.size() < sentence_.size()) keep(staying);
  }

 private:
  // The largest log-probability of each row and its piece.
  std::tuple<torch::Tensor, torch::Tensor> choose() {
    const TokenBatch target{tokens_,
                            torch::full({tokens_.size(0)}, tokens_.size(1),
                                        torch::TensorOptions(torch::kLong).device(device_))};
    const auto hidden = model_->decode(memory_, target).select(1, -1);
    auto scores = torch::log_softmax(model_->logits(hidden), -1);
    scores.slice(1, 0, kEndPiece).fill_(-std::numeric_limits<float>::infinity());
    return scores.max(-1);
  }

  void keep(const std::vector<int64_t>& rows) {
    const auto index = torch::tensor(rows, torch::kLong).to(device_);
    tokens_ = tokens_.index_select(0, index);
    memory_.states = memory_.states.index_select(0, index);
    if (memory_.codes.defined())
      memory_.codes = {memory_.codes.values.index_select(0, index), nullptr};
    memory_.lengths = memory_.lengths.index_select(0, index);
    for (size_t i = 0; i < rows.size(); ++i) {
      sentence_[i] = sentence_[static_cast<size_t>(rows[i])];
      limit_[i] = limit_[static_cast<size_t>(rows[i])];
    }
    sentence_.resize(rows.size());
    limit_.resize(rows.size());
  }

  Transformer& model_;
  std::vector<GreedyTranslation>& translations_;
  torch::Device device_;
  std::vector<size_t> sentence_;  // Of each row, its place among the sources.
  std::vector<int64_t> limit_;    // Most pieces of its translation.
  Memory memory_;
  torch::Tensor tokens_;  // [rows, pieces so far], the start marker first
};
static_assert(kPadPiece < kEndPiece && kUnknownPiece < kEndPiece && kStartPiece < kEndPiece);

}  // namespace

std::vector<GreedyTranslation> greedy_search(Transformer& model, Sentences sources,
                                             const GreedyOptions& options) {
  std::vector<GreedyTranslation> translations(sources.size());
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return sources[i].size(); });
  std::vector<std::span<const size_t>> batches;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    const auto words = [&](size_t last) {
      return static_cast<int64_t>((last + 1 - begin) * (sources[order[last]].size() + 1));
    };
    while (end < order.size() && words(end) <= options.batch_words) ++end;
    batches.push_back(std::span(order).subspan(begin, end - begin));
    begin = end;
  }
  parallel_for(batches.size(), [&](size_t i) {
    const torch::NoGradGuard no_grad;
    Rows rows(model, sources, batches[i], options, translations);
    while (!rows.empty()) rows.step();
  });
  return translations;
}

}  // namespace eatt
