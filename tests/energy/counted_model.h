#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "energy/counted_scores.h"
#include "energy/counted_steps.h"
#include "energy/recorded_run.h"

namespace eatt::energy::testing {

// A Transformer of plain loops over counted numbers. It is used like a StepModel, but for the
// binary codes, which are those of a recorded run.
class CountedModel {
 public:
  // Codes are taken when they are needed. No sentence or translation is above `longest`.
  CountedModel(const Bundle& bundle, Precision precision, size_t longest, RecordedCodes& codes);

  void start(const std::vector<SearchTask>& tasks);
  // Logits [rows, target vocabulary], of each row those of its columns alone.
  Tensor<Fp32> step(std::span<const StepRow> rows, std::span<const std::vector<int32_t>> columns);

 private:
  struct KeysAndValues {
    KeptRows keys, values;
    size_t add_row();
  };
  KeysAndValues make_rows(Mechanism mechanism, Stack stack) const;

  Tensor<Fp32> embed_source(const std::vector<SearchTask>& tasks);
  Tensor<Fp32> encode(const std::vector<SearchTask>& tasks);
  void remember_source(const Tensor<Fp32>& encoded);
  std::vector<size_t> advance(std::span<const StepRow> rows);
  Tensor<Fp32> decode(std::span<const StepRow> rows);

  // x with what a sub-layer, Tensor(const Tensor& rows), adds to it; and the norm.
  template <class Change>
  Tensor<Fp32> framed(const Place& place, const Norm& norm, const Tensor<Fp32>& x,
                      const Change& change) const;
  Tensor<Fp32> norm_of(const Place& place, const Norm& norm, const Tensor<Fp32>& x) const;
  ProductInput input_of(const Place& place, Duty duty, const Tensor<Fp32>& x) const;

  Tensor<Fp32> self_attention(size_t layer, const AttentionWeights& weights, const Tensor<Fp32>& x,
                              KeysAndValues& kept, std::span<const size_t> slots,
                              std::span<const SeeingRows> seeing);
  Tensor<Fp32> cross_attention(size_t layer, const AttentionWeights& weights, const Tensor<Fp32>& x,
                               std::span<const SeeingRows> seeing);
  std::optional<Tensor<Code>> codes_of(size_t layer, const AttentionWeights& weights,
                                       const Tensor<Fp32>& x);
  Queries make_queries(const AttentionWeights& weights, const ProductInput& input,
                       const std::optional<Tensor<Code>>& codes) const;
  void make_keys(const AttentionWeights& weights, const ProductInput& input,
                 const std::optional<Tensor<Code>>& codes, KeptRows& keys,
                 std::span<const size_t> slots) const;
  // Scores, context and output.
  Tensor<Fp32> attend(const Place& place, const AttentionWeights& weights, const Queries& queries,
                      const KeysAndValues& kept, std::span<const SeeingRows> seeing) const;
  Tensor<Fp32> feed_forward(const Place& place, const FeedForwardWeights& weights,
                            const Tensor<Fp32>& x) const;

  const Architecture& a_;
  Precision precision_;
  AttentionShape shape_;
  CountedWeights weights_;
  RecordedCodes& codes_;
  std::vector<SeeingRows> sentences_;           // Of the source; slots are rows of the batch.
  std::vector<KeysAndValues> self_, cross_;     // Of the decoder, by layer.
  std::vector<std::vector<size_t>> histories_;  // Of each row of the last step, slots in self_.
};

}  // namespace eatt::energy::testing
