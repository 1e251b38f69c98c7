#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/layers/observer.h"

namespace eatt::trace {

// What a model computed for one sentence, in the order of its rows: positions of the source, or
// steps of greedy search.
struct Recording {
  struct Codes {
    std::vector<int8_t> codes;  // [rows, model_dim]: integers
    std::vector<float> values;  // [rows, model_dim]: what they were made of
  };
  struct Product {
    kernels::Activation activation = kernels::Activation::none;
    std::vector<float> values;        // [rows, in]: what it reads
    std::vector<int8_t> input;        // [rows, in], rounded
    std::vector<float> input_scales;  // [rows]
    std::vector<float> output;        // [rows, out]
  };
  struct Scores {
    struct Queries {
      size_t query_len, key_len;
      std::vector<float> scores;  // [heads, query_len, key_len]
    };
    std::vector<Queries> queries;
  };

  std::map<const Norm*, std::vector<float>> residuals;  // [rows, model_dim]
  std::map<Place, Codes> codes;
  std::map<const Linear*, Product> products;
  std::map<const SelectionWeights*, std::vector<int16_t>> selections;  // [rows, out]
  std::map<const AttentionMechanism*, Scores> scores;
};

// Records what an int8 model computes, for one sentence at a time with greedy search: it does not
// distinguish rows.
class Recorder : public Observer {
 public:
  void codes(const CodeRows& rows) override;
  void residual(const Norm& norm, std::span<const float> x) override;
  void product(const Linear& linear, const LinearInput& input, kernels::Activation activation,
               const float* y) override;
  void selected(const SelectionWeights& weights, size_t rows, const int16_t* y) override;
  bool wants_scores() const override { return true; }
  void scores(const AttentionMechanism& mechanism, const ScoreBlock& scores) override;

  // Everything since the last call.
  Recording take() { return std::exchange(recording_, {}); }

 private:
  Recording recording_;
};

}  // namespace eatt::trace
