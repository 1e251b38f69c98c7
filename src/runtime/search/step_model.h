#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/rows/rows.h"

namespace eatt {

class Observer;

// How many of this many columns are markers; they come first.
size_t marker_columns(size_t columns);

// A hypothesis about to grow by a piece.
struct StepRow {
  int32_t sentence = 0;  // Of the batch.
  int32_t parent = -1;   // The row of the step before that it continues; −1 at its first step.
  int32_t piece = 0;     // What is fed: the start marker at first, then the piece chosen last.
};

// A sentence that joins the batch.
struct NewSentence {
  int32_t sentence = 0;             // Its number: small, and not that of one in the batch.
  std::span<const int32_t> source;  // Pieces without markers.
  // Target pieces that it has columns for, whatever a shortlist says: its forced ones.
  std::span<const int32_t> required = {};
};

// What may come next in one row.
struct RowLogits {
  std::span<const float> logits;
  std::span<const int32_t> pieces;  // Of each, ascending; empty: number i is piece i.
};

// The same where only the best are wanted and no column is ruled out: column i is piece i.
struct BestLogits {
  size_t columns = 0;
  std::span<const float> markers = {};           // Logits of the first columns: the markers.
  std::span<const kernels::TopValue> best = {};  // The best others in descending order, by column.
  float log_sum = 0;                             // log Σ exp of all logits; see BestWanted.
};

// What a search needs of the rows of a step.
struct BestWanted {
  size_t count = 0;      // So many of the best of each row.
  bool log_sums = true;  // False: log_sum is the largest logit, so that scores keep their order.
};

// Scores of what may come next.
struct StepScores {
  const float* logits = nullptr;  // [rows, columns], valid until the next call of the model
  size_t columns = 0;
  std::span<const int32_t> pieces = {};  // Of each column, ascending; empty: column i is piece i.
  // Where sentences have lists of their own: a row each, instead of the above. Nothing of another
  // sentence's list is in them, so that sums do not depend on it to the last bit.
  std::span<const RowLogits> own = {};
  // Where only the best are wanted: a row each, instead of the above.
  std::span<const BestLogits> best = {};

  // Of a step that has all logits.
  RowLogits row(size_t row) const {
    if (!own.empty()) return own[row];
    return {{logits + row * columns, columns}, pieces};
  }
};

// A model (or several) as the search uses it: a batch of sentences that advance step by step, and
// that sentences join and leave between steps. The scores of a row depend neither on the order of
// rows nor on the rest of the batch, to the last bit. For one thread.
class StepModel {
 public:
  virtual ~StepModel() = default;

  // Target pieces, the markers among them.
  virtual size_t vocab() const = 0;

  // Sentences join, computed together. If it throws, the batch is to be cleared.
  virtual void add(std::span<const NewSentence> sentences) = 0;
  // A sentence leaves: no row of it may follow, its number is free, and its memory is used again.
  virtual void remove(int32_t sentence) = 0;
  // All leave.
  virtual void clear() = 0;
  // A new batch of these, numbered from 0; sources are pieces without markers.
  void start(std::span<const std::vector<int32_t>> sources);

  // Advances by one piece. Rows that are not continued are forgotten. Scores are logits or
  // log-probabilities: only differences within a row count. −∞ marks pieces that are not allowed.
  virtual StepScores step(std::span<const StepRow> rows) = 0;
  // The same, where the best pieces of each row are enough; a model may give all the same.
  virtual StepScores step_best(std::span<const StepRow> rows, const BestWanted&) {
    return step(rows);
  }

  // Attention of a row of the last step over its source, the end marker last: [source pieces + 1].
  // Empty unless it was asked for when the model was made.
  virtual std::span<const float> attention(size_t row) const = 0;

  // Is notified of what the search does; null: none.
  virtual Observer* observer() const { return nullptr; }

  // The most target pieces that can be computed, the end marker included.
  virtual size_t max_target_pieces() const = 0;
};

// The score of a forced piece that the model rules out: nothing has a lower log-probability, and
// hypotheses that share the piece can still be compared, which −∞ would prevent.
inline constexpr double kRuledOut = -1e4;

// One row of a step's scores as log-probabilities.
class RowScores {
 public:
  // Throws an Error if the model computed NaN or infinity.
  RowScores(const StepScores& scores, size_t row);

  size_t columns() const { return columns_; }
  // [columns], or of the markers alone if only the best columns are known.
  std::span<const float> logits() const { return logits_; }
  bool knows_all() const { return logits_.size() == columns_; }
  std::span<const kernels::TopValue> best() const { return best_; }
  int32_t piece(size_t column) const {
    return pieces_.empty() ? static_cast<int32_t>(column) : pieces_[column];
  }
  // The column of a piece; the number of logits() if it has none.
  size_t column(int32_t piece) const;
  // The first column that is not a marker's; pieces are in ascending order, markers first.
  size_t first_ordinary() const;

  // Never above 0; −∞ if the row rules it out.
  double log_probability_of(float logit) const;
  double log_probability_at(size_t column) const { return log_probability_of(logits_[column]); }
  double log_probability(int32_t piece) const;
  // Of all columns, as floats.
  void log_probabilities(std::vector<float>& out) const;
  // Of a piece, but kRuledOut at least.
  double forced_log_probability(int32_t piece) const;

 private:
  void read_all(const RowLogits& row);
  void read_best(const BestLogits& row);

  size_t columns_ = 0;
  std::span<const float> logits_;
  std::span<const int32_t> pieces_;
  std::span<const kernels::TopValue> best_;
  float log_sum_ = 0;
};

// Several models as one: the probability of a piece is the weighted mean of theirs, and so is the
// attention, which is empty unless all of them give it. If they have shortlists, it is the same.
class EnsembleModel : public StepModel {
 public:
  // One weight per model, above 0; their sum counts as 1. Vocabularies are equal.
  EnsembleModel(std::vector<std::unique_ptr<StepModel>> models, std::vector<double> weights);

  size_t vocab() const override { return models_[0]->vocab(); }
  void add(std::span<const NewSentence> sentences) override;
  void remove(int32_t sentence) override;
  void clear() override;
  StepScores step(std::span<const StepRow> rows) override;
  std::span<const float> attention(size_t row) const override;
  size_t max_target_pieces() const override;

 private:
  void mix_row(std::span<const StepScores> scores, size_t row, float* out);
  float faint_score(std::span<const RowScores> rows, size_t column) const;
  void mix_attention(size_t rows);

  std::vector<std::unique_ptr<StepModel>> models_;
  std::vector<double> weights_;                // Their sum is 1.
  std::vector<float> scores_;                  // Row by row.
  std::vector<RowLogits> rows_;                // Parts of scores_.
  std::vector<float> probabilities_;           // [columns], of one model
  std::vector<std::vector<float>> attention_;  // [rows][source pieces + 1]
};

}  // namespace eatt
