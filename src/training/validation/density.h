#pragma once

#include <string>
#include <vector>

#include "model/model_types.h"

namespace eatt {

// ρ, the share of ones among the codes of a model, per layer; −1 where a layer has none.
struct Densities {
  std::vector<double> encoder_self, decoder_self, cross_query;
  double cross_key = -1;  // One code of the encoder's output serves all layers.

  bool any() const { return mean() >= 0; }
  double mean() const;  // Over all that have codes; −1 if none has.
};

// Counts ones over any number of batches, padding left out.
class DensityCounter {
 public:
  void add(const ModelTrace& trace, const TokenBatch& source, const TokenBatch& target);
  // What another one has counted of the same model.
  void add(const DensityCounter& other);
  Densities densities() const;

 private:
  struct Count {
    double ones = 0;
    double all = 0;
    double share() const { return all > 0 ? ones / all : -1; }
    void operator+=(const Count& other) {
      ones += other.ones;
      all += other.all;
    }
  };
  static void add(const torch::Tensor& codes, const torch::Tensor& exists, Count& count);

  std::vector<Count> encoder_self_, decoder_self_, cross_query_;
  Count cross_key_;
};

}  // namespace eatt
