#include "training/update/batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "text/pieces/pieces.h"

namespace eatt {

BatchOptions batch_options(const TrainingOptions& options, const DataSet& data) {
  BatchOptions batches;
  batches.words = static_cast<size_t>(options.mini_batch_words);
  batches.count_padding = options.count_padding;
  batches.window_pairs = static_cast<size_t>(options.window_pairs);
  const std::vector<double> weights = corpus_weights(options);
  if (weights.empty()) return batches;
  const auto& corpora = data.info().corpora;
  if (weights.size() != corpora.size()) {
    throw UsageError(
        corpora.empty()
            ? fmt::format("{}: was prepared by an earlier version, which did not note where a "
                          "corpus ends; for --corpus-weights, prepare it again",
                          data.folder().string())
            : fmt::format("--corpus-weights has {}, but {} was made of {}; give one for each",
                          format_count(weights.size(), "weight"), data.folder().string(),
                          corpora.size() == 1 ? std::string("1 corpus")
                                              : fmt::format("{} corpora", corpora.size())));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    batches.corpora.push_back({corpora[i].pairs, weights[i]});
  }
  return batches;
}

namespace {

// Row after row of one side, padded; `put` writes a sentence's markers and pieces.
class PaddedRows {
 public:
  PaddedRows(size_t rows, size_t width) : width_(width), tokens_(rows * width, kPadPiece) {}

  void set(size_t row, size_t column, int32_t piece) { tokens_[row * width_ + column] = piece; }
  void set(size_t row, size_t column, std::span<const int32_t> pieces) {
    std::ranges::copy(pieces, tokens_.begin() + static_cast<std::ptrdiff_t>(row * width_ + column));
  }
  void end_row(size_t length) { lengths_.push_back(static_cast<int64_t>(length)); }

  TokenBatch finish(torch::Device device) const {
    const auto width = static_cast<int64_t>(width_);
    return {torch::tensor(tokens_).view({-1, width}).to(device),
            torch::tensor(lengths_).to(device)};
  }

 private:
  size_t width_;
  std::vector<int64_t> tokens_;
  std::vector<int64_t> lengths_;
};

template <typename Items, typename Side>
size_t longest(const Items& items, Side side) {
  size_t most = 0;
  for (const auto& item : items) most = std::max(most, side(item).size());
  return most;
}

template <typename Items, typename Side>
TokenBatch source_rows(const Items& items, Side side, torch::Device device) {
  PaddedRows rows(items.size(), longest(items, side) + 1);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::vector<int32_t>& sentence = side(items[i]);
    rows.set(i, 0, sentence);
    rows.set(i, sentence.size(), kEndPiece);
    rows.end_row(sentence.size() + 1);
  }
  return rows.finish(device);
}

// `links` are ordered by target: those of one row stand together.
std::optional<AlignmentGuide> guide_of(std::span<const PiecePair> pairs, size_t target_len,
                                       size_t source_len) {
  std::vector<int64_t> places;
  std::vector<float> shares;
  int64_t rows = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& links = pairs[i].links;
    for (size_t begin = 0, end = 0; begin < links.size(); begin = end) {
      while (end < links.size() && links[end].target == links[begin].target) ++end;
      ++rows;
      for (size_t k = begin; k < end; ++k) {
        places.push_back(static_cast<int64_t>((i * target_len + links[k].target) * source_len +
                                              links[k].source));
        shares.push_back(1 / static_cast<float>(end - begin));
      }
    }
  }
  if (rows == 0) return {};
  return AlignmentGuide{torch::tensor(places), torch::tensor(shares), rows};
}

}  // namespace

TrainingBatch make_batch(std::span<const PiecePair> pairs, torch::Device device) {
  const auto target_of = [](const PiecePair& pair) -> const auto& { return pair.target; };
  const size_t width = longest(pairs, target_of) + 1;
  PaddedRows target(pairs.size(), width);
  std::vector<int64_t> places, labels;
  TrainingBatch batch;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& sentence = pairs[i].target;
    target.set(i, 0, kStartPiece);
    target.set(i, 1, sentence);
    target.end_row(sentence.size() + 1);
    for (size_t j = 0; j <= sentence.size(); ++j) {
      places.push_back(static_cast<int64_t>(i * width + j));
      labels.push_back(j < sentence.size() ? sentence[j] : kEndPiece);
    }
    batch.source_words += static_cast<int64_t>(pairs[i].source.size()) + 1;
  }
  batch.source = source_rows(
      pairs, [](const PiecePair& pair) -> const auto& { return pair.source; }, device);
  batch.target = target.finish(device);
  batch.places = torch::tensor(places).to(device);
  batch.labels = torch::tensor(labels).to(device);
  batch.guide = guide_of(pairs, width, static_cast<size_t>(batch.source.tokens.size(1)));
  if (batch.guide) {
    batch.guide->places = batch.guide->places.to(device);
    batch.guide->shares = batch.guide->shares.to(device);
  }
  return batch;
}

TokenBatch make_source_batch(std::span<const std::vector<int32_t>> sentences,
                             torch::Device device) {
  return source_rows(
      sentences, [](const std::vector<int32_t>& sentence) -> const auto& { return sentence; },
      device);
}

std::vector<PiecePair> read_pairs(const DataSet& data, std::span<const uint64_t> indices) {
  std::vector<PiecePair> pairs(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    PiecePair& pair = pairs[i];
    data.read(indices[i], pair.source, pair.target);
    if (!data.has_links()) continue;
    data.read_links(indices[i], pair.links);
    pair.links.push_back(
        {static_cast<uint32_t>(pair.source.size()), static_cast<uint32_t>(pair.target.size())});
  }
  return pairs;
}

}  // namespace eatt
