#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bundle/place.h"
#include "energy/activity.h"
#include "kernels/products/products.h"
#include "runtime/layers/linear.h"

namespace eatt {

class AttentionMechanism;
class DecoderState;
struct SearchOptions;
struct SelectionWeights;
struct SourceRows;
struct StepScores;

// Codes [rows, dim] of x, as bits (kernels/selection/selection_codes.h and signed_codes.h). The
// codes of the encoder's output are made once for all layers: Place{decoder, 0, cross-attention},
// Duty::key. Codes of self-attention serve queries and keys; their duty is Duty::query.
struct CodeRows {
  Place place;
  Duty duty;
  const float* x;  // [rows, dim], `x_stride` apart
  size_t x_stride;
  size_t rows, dim;
  size_t levels;   // Of signed codes; 0: binary.
  uint64_t* bits;  // [planes, rows, code_words(dim)]

  size_t planes() const;
  // 0 or 1 if binary, else an integer from −levels to levels.
  int code(size_t row, size_t feature) const;
  void set(size_t row, size_t feature, int code) const;

 private:
  uint64_t& word(size_t plane, size_t row, size_t feature) const;
};

// Scores before their softmax, [heads, query_len, key_len].
struct ScoreBlock {
  const float* scores;
  size_t heads, query_len, key_len;
};

// A step of the decoder; row i belongs to sentence sentences[i].
struct StepRecord {
  const DecoderState& state;
  const StepScores& scores;
  std::span<const int32_t> sentences;
};

// A live hypothesis whose next pieces were chosen.
struct RowExpansion {
  size_t columns;     // Pieces that have a score.
  size_t ordinary;    // Those that are not markers.
  size_t wanted;      // How many of them were searched for; 0 where the piece was forced.
  size_t candidates;  // Ways to grow that were kept.
};

// The end of a sentence's search.
struct SentenceOutcome {
  size_t ended;             // Hypotheses that got a final score.
  size_t n_best;            // How many of them were wanted.
  size_t source_positions;  // The end marker included.
  size_t best_positions;    // Of the best hypothesis: those it was computed at.
};

// Is notified of what a model and a search do. Override what you need. A null pointer
// means that there is none; it costs a comparison. Weights are passed by their address in the
// Model, which tells which they are. Pointers are valid during the call.
class Observer {
 public:
  virtual ~Observer() = default;

  // The clock is read only for an observer that wants times. One kernel computes the scores and the
  // context of the encoder: its time counts as Duty::scores there.
  virtual bool wants_times() const { return false; }
  virtual void spent(const Place&, Duty, double /*seconds*/) {}

  // Codes as they are made; the observer may replace their bits.
  virtual void codes(const CodeRows&) {}
  // x [rows, model_dim]: what a sub-layer will add its delta to, or what the last norm of a stack
  // reads. The norm tells which.
  virtual void residual(const Norm&, std::span<const float> /*x*/) {}
  // y [input.rows, outputs(linear)], after its activation. The search may need only the best
  // logits; all are computed, and shown here and in step_done(), for an observer that wants them.
  virtual bool wants_logits() const { return true; }
  virtual void product(const Linear&, const LinearInput&, kernels::Activation, const float* /*y*/) {
  }
  // Integer queries or keys or both: y [rows, weights.out].
  virtual void selected(const SelectionWeights&, size_t /*rows*/, const int16_t* /*y*/) {}
  // Scores of a sentence (encoder), or of the next position of a row (decoder). The fused kernel
  // keeps no scores, so they are computed once more for an observer that wants them.
  virtual bool wants_scores() const { return false; }
  virtual void scores(const AttentionMechanism&, const ScoreBlock&) {}

  // These sentences joined the batch: they were encoded together, and the keys and values of their
  // sources are ready.
  virtual void batch_encoded(const SourceRows&) {}
  virtual void step_done(const StepRecord&) {}

  // From the search; an observer may reject options by throwing an Error.
  virtual void search_starts(const SearchOptions&) {}
  virtual void row_expanded(const RowExpansion&) {}
  // The `wanted` best were searched for among the growths of a sentence's hypotheses.
  virtual void growths_ranked(size_t /*growths*/, size_t /*wanted*/) {}
  virtual void sentence_done(const SentenceOutcome&) {}
};

// Several observers as one, notified in order.
class ObserverChain : public Observer {
 public:
  explicit ObserverChain(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  bool wants_times() const override;
  bool wants_logits() const override;
  void spent(const Place& place, Duty duty, double seconds) override;
  void codes(const CodeRows& codes) override;
  void residual(const Norm& norm, std::span<const float> x) override;
  void product(const Linear& linear, const LinearInput& input, kernels::Activation activation,
               const float* y) override;
  void selected(const SelectionWeights& weights, size_t rows, const int16_t* y) override;
  bool wants_scores() const override;
  void scores(const AttentionMechanism& mechanism, const ScoreBlock& scores) override;
  void batch_encoded(const SourceRows& source) override;
  void step_done(const StepRecord& step) override;
  void search_starts(const SearchOptions& options) override;
  void row_expanded(const RowExpansion& row) override;
  void growths_ranked(size_t growths, size_t wanted) override;
  void sentence_done(const SentenceOutcome& outcome) override;

 private:
  std::vector<Observer*> observers_;
};

// A duty's share of a step that serves several.
struct DutyShare {
  Duty duty = Duty::query;
  size_t share = 0;  // In any unit, such as columns of a product.
};

// Tells the observer how much time passed between construction and destruction.
class Timed {
 public:
  Timed(Observer* observer, const Place& place, Duty duty)
      : Timed(observer, place, {{{duty, 1}, {}, {}}}) {}
  Timed(Observer* observer, const Place& place, const std::array<DutyShare, 3>& shares)
      : observer_(observer != nullptr && observer->wants_times() ? observer : nullptr) {
    if (observer_ != nullptr) begin(place, shares);
  }
  ~Timed() {
    if (observer_ != nullptr) end();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  void begin(const Place& place, const std::array<DutyShare, 3>& shares);
  void end();

  Observer* observer_;
  Place place_;
  std::array<DutyShare, 3> shares_;
  Clock::time_point start_;
};

// Adds up what a model and a beam search do, to count their operations. It is notified once per
// layer, step or hypothesis, never per element.
class ActivityRecorder : public Observer {
 public:
  const energy::Activity& activity() const { return activity_; }
  energy::Activity take() { return std::exchange(activity_, {}); }

  // Codes of all rows that pass a layer together. Those of the encoder's output may come in parts;
  // batch_encoded() closes them.
  void codes(const CodeRows& codes) override;
  void batch_encoded(const SourceRows& source) override;
  void step_done(const StepRecord& step) override;

  // Throws a UsageError for a search whose operations cannot be counted.
  void search_starts(const SearchOptions& options) override;
  void row_expanded(const RowExpansion& row) override;
  void growths_ranked(size_t growths, size_t wanted) override;
  void sentence_done(const SentenceOutcome& outcome) override;

 private:
  energy::CodeActivity& codes_at(const Place& place);
  uint64_t distinct_columns(const StepScores& scores, size_t rows);

  energy::Activity activity_;
  std::vector<uint64_t> seen_;      // Features that were one in some row of a call, as bits.
  std::vector<uint64_t> key_seen_;  // Of the encoder's output.
  std::vector<bool> columns_;       // Pieces that some row of a step has a column for.
};

}  // namespace eatt
