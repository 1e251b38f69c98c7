#include "inspection/sentence_observer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "runtime/attention/mechanism.h"

namespace eatt::inspection {
namespace {

// Softmax of a row, in place.
void softmax(std::vector<float>& row) {
  const float most = *std::ranges::max_element(row);
  double sum = 0;
  for (float& score : row) sum += score = std::exp(score - most);
  for (float& weight : row) weight = static_cast<float>(weight / sum);
}

double entropy_of(const std::vector<float>& weights) {
  double entropy = 0;
  for (const float weight : weights) {
    if (weight > 0) entropy -= weight * std::log(static_cast<double>(weight));
  }
  return entropy;
}

}  // namespace

void CodeCounts::add(const CodeRows& codes, size_t row, const std::string& word) {
  fires.resize(codes.dim);
  Word& of_word = words[word];
  of_word.fires.resize(codes.dim);
  ++positions;
  ++of_word.positions;
  for (size_t feature = 0; feature < codes.dim; ++feature) {
    const int code = codes.code(row, feature);
    if (code == 0) continue;
    ones += static_cast<uint64_t>(std::popcount(static_cast<unsigned>(std::abs(code))));
    ++fires[feature];
    ++of_word.fires[feature];
  }
}

void CodeCounts::add(const CodeCounts& other) {
  positions += other.positions;
  ones += other.ones;
  fires.resize(other.fires.size());
  for (size_t i = 0; i < fires.size(); ++i) fires[i] += other.fires[i];
  for (const auto& [text, word] : other.words) {
    Word& ours = words[text];
    ours.positions += word.positions;
    ours.fires.resize(word.fires.size());
    for (size_t i = 0; i < word.fires.size(); ++i) ours.fires[i] += word.fires[i];
  }
}

void EntropyCounts::add(const EntropyCounts& other) {
  nats += other.nats;
  shares += other.shares;
  rows += other.rows;
  shared_rows += other.shared_rows;
}

void SentenceObserver::begin(std::vector<std::string> source_words,
                             std::vector<std::string> target_words) {
  source_words_ = std::move(source_words);
  target_words_ = std::move(target_words);
  passed_.clear();
  entropies_.clear();
  cross_.clear();
}

void SentenceObserver::codes(const CodeRows& codes) {
  const bool of_source = codes.place.stack == Stack::encoder || codes.duty == Duty::key;
  const auto& words = of_source ? source_words_ : target_words_;
  const std::pair key(codes.place, codes.duty);
  size_t& position = passed_[key];
  CodeCounts& counts = codes_[key];
  for (size_t row = 0; row < codes.rows; ++row, ++position) {
    expects(position < words.size(), "codes are of positions of the sentence");
    counts.add(codes, row, words[position]);
  }
}

void SentenceObserver::scores(const AttentionMechanism& mechanism, const ScoreBlock& block) {
  const Place& place = mechanism.place();
  EntropyCounts& counts = entropies_[place];
  const bool is_cross = role_of(place) == Role::cross;
  std::vector<float> all;  // [heads · keys] of one query
  for (size_t query = 0; query < block.query_len; ++query) {
    all.clear();
    for (size_t head = 0; head < block.heads; ++head) {
      const float* scores = block.scores + (head * block.query_len + query) * block.key_len;
      std::vector<float> row(scores, scores + block.key_len);
      softmax(row);
      const double entropy = entropy_of(row);
      counts.nats += entropy;
      ++counts.rows;
      if (block.key_len > 1) {
        counts.shares += entropy / std::log(static_cast<double>(block.key_len));
        ++counts.shared_rows;
      }
      if (is_cross) all.insert(all.end(), row.begin(), row.end());
    }
    if (!is_cross) continue;
    CrossLayer& layer = cross_[place.layer];
    layer.heads = block.heads;
    layer.rows.push_back(all);
  }
}

std::vector<std::vector<float>> SentenceObserver::cross_attention(size_t layer, size_t head) const {
  const CrossLayer& found = cross_.at(layer);
  std::vector<std::vector<float>> rows;
  for (const auto& all : found.rows) {
    const size_t keys = all.size() / found.heads;
    std::vector<float>& row = rows.emplace_back(keys);
    for (size_t h = 0; h < found.heads; ++h) {
      if (head != 0 && head != h + 1) continue;
      const float share = head == 0 ? 1 / static_cast<float>(found.heads) : 1;
      for (size_t key = 0; key < keys; ++key) row[key] += share * all[h * keys + key];
    }
  }
  return rows;
}

}  // namespace eatt::inspection
