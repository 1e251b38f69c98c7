#pragma once

#include "model/bundle_weights.h"
#include "runtime/layers/model.h"

namespace eatt {

// A model of libtorch as the runtime computes with it: the decoder of `eatt translate`, on weights
// that were never written to disk. Some of it points to the weights themselves: not for use while
// an update changes them.
class RuntimeModel {
 public:
  RuntimeModel(const Architecture& architecture, NamedWeights weights);

  const Model& model() const { return model_; }

 private:
  NamedWeights weights_;
  Model model_;
};

}  // namespace eatt
