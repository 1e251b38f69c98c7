#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "base/random.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"

namespace eatt::testing {

using Ids = std::vector<int32_t>;

inline constexpr float kNever = -std::numeric_limits<float>::infinity();
inline constexpr int32_t kA = kEndPiece + 1, kB = kA + 1, kC = kA + 2;  // Ordinary pieces.

// What may come after a source and a target prefix: logits [vocab].
using ToyLogits = std::function<std::vector<float>(const Ids& source, const Ids& prefix)>;

// Logits that are random, but the same for the same source and prefix. Padding and start, which may
// never come, are as likely as any other piece.
inline ToyLogits random_logits(uint64_t seed, size_t vocab, double spread = 3) {
  return [=](const Ids& source, const Ids& prefix) {
    uint64_t state = seed;
    for (const Ids* ids : {&source, &prefix}) {
      for (const int32_t id : *ids) state = Random::stream(state, static_cast<uint64_t>(id)).next();
      state = Random::stream(state, 1000).next();
    }
    Random random(state);
    std::vector<float> logits(vocab);
    for (float& logit : logits) logit = static_cast<float>((random.uniform() - 0.5) * 2 * spread);
    return logits;
  };
}

// Logits that are the same after every prefix, given as probabilities of </s>, a, b, …
inline ToyLogits constant_probabilities(std::vector<double> probabilities) {
  return [=](const Ids&, const Ids&) {
    std::vector<float> logits(static_cast<size_t>(kEndPiece), kNever);
    for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
    return logits;
  };
}

// A model whose scores are a function of the source and of all pieces before, so that whole spaces
// of translations can be enumerated. It rebuilds each row's prefix from the parent links, and
// checks that rows belong together.
class ToyModel : public StepModel {
 public:
  ToyModel(ToyLogits logits, size_t vocab) : logits_of_(std::move(logits)), vocab_(vocab) {}

  size_t vocab() const override { return vocab_; }
  size_t max_target_pieces() const override { return max_target; }

  void add(std::span<const NewSentence> sentences) override {
    for (const NewSentence& added : sentences) {
      const auto number = static_cast<size_t>(added.sentence);
      EXPECT_FALSE(sources_.contains(added.sentence));
      sources_[added.sentence].assign(added.source.begin(), added.source.end());
      if (rows_of_sentence.size() <= number) rows_of_sentence.resize(number + 1);
    }
  }
  void remove(int32_t sentence) override { EXPECT_EQ(sources_.erase(sentence), 1u); }
  void clear() override {
    sources_.clear();
    rows_.clear();
    steps = 0;
    rows_of_sentence.clear();
  }

  StepScores step(std::span<const StepRow> rows) override {
    std::vector<Row> next;
    for (auto& counts : rows_of_sentence) counts.push_back(0);
    for (const StepRow& row : rows) {
      next.push_back(continued(row));
      ++rows_of_sentence[static_cast<size_t>(row.sentence)].back();
    }
    rows_ = std::move(next);
    ++steps;
    fill_logits();
    return {logits_.data(), shortlist.empty() ? vocab_ : shortlist.size(), shortlist};
  }

  std::span<const float> attention(size_t row) const override {
    if (!attends) return {};
    return attention_[row];
  }

  // Attention of the step that follows `prefix`: the weight of source piece i is i-th in a hash.
  static std::vector<float> attention_of(const Ids& source, const Ids& prefix) {
    std::vector<float> weights = random_logits(99, source.size() + 1, 2)(source, prefix);
    float sum = 0;
    for (float& weight : weights) sum += weight = std::exp(weight);
    for (float& weight : weights) weight /= sum;
    return weights;
  }

  size_t max_target = 50;
  bool attends = false;
  Ids shortlist;  // Pieces that have a column; empty: all.

  size_t steps = 0;
  std::vector<std::vector<int>> rows_of_sentence;  // [sentences][steps]

 private:
  struct Row {
    int32_t sentence;
    Ids prefix;
  };

  Row continued(const StepRow& row) const {
    EXPECT_TRUE(sources_.contains(row.sentence));
    if (row.parent < 0) {
      EXPECT_EQ(row.piece, kStartPiece);
      return {row.sentence, {}};
    }
    EXPECT_LT(static_cast<size_t>(row.parent), rows_.size());
    Row result = rows_.at(static_cast<size_t>(row.parent));
    EXPECT_EQ(row.sentence, result.sentence);
    EXPECT_NE(row.piece, kEndPiece);
    EXPECT_NE(row.piece, kStartPiece);
    EXPECT_NE(row.piece, kPadPiece);
    result.prefix.push_back(row.piece);
    EXPECT_LT(result.prefix.size(), max_target);
    return result;
  }

  void fill_logits() {
    logits_.clear();
    attention_.clear();
    for (const Row& row : rows_) {
      const Ids& source = sources_.at(row.sentence);
      const auto all = logits_of_(source, row.prefix);
      if (shortlist.empty()) logits_.insert(logits_.end(), all.begin(), all.end());
      for (const int32_t piece : shortlist) logits_.push_back(all[static_cast<size_t>(piece)]);
      attention_.push_back(attention_of(source, row.prefix));
    }
  }

  ToyLogits logits_of_;
  size_t vocab_;
  std::map<int32_t, Ids> sources_;
  std::vector<Row> rows_;
  std::vector<float> logits_;
  std::vector<std::vector<float>> attention_;
};

inline std::vector<Ids> pieces_of(const std::vector<SearchHypothesis>& hypotheses) {
  std::vector<Ids> pieces;
  for (const auto& hypothesis : hypotheses) pieces.push_back(hypothesis.pieces);
  return pieces;
}

inline std::vector<SearchHypothesis> search_one(StepModel& model, const SearchTask& task,
                                                const SearchOptions& options) {
  return search(model, std::span(&task, 1), options)[0];
}

inline void expect_same(const SearchHypothesis& a, const SearchHypothesis& b) {
  EXPECT_EQ(a.pieces, b.pieces);
  EXPECT_EQ(a.score, b.score);  // To the bit.
  EXPECT_EQ(a.log_probability, b.log_probability);
  EXPECT_EQ(a.piece_scores, b.piece_scores);
  EXPECT_EQ(a.attention, b.attention);
  EXPECT_EQ(a.finished, b.finished);
}

inline void expect_same(const std::vector<SearchHypothesis>& a,
                        const std::vector<SearchHypothesis>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

}  // namespace eatt::testing
