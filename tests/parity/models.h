#pragma once

#include <string>

#include "model/transformer.h"
#include "support/random_sources.h"
#include "training/run/bundles.h"

namespace eatt::testing {

// Self-attention of both sides, and cross-attention.
struct Mix {
  Mechanism self, cross;

  std::string name() const {
    return std::string(mechanism_name(self)) + "_" + std::string(mechanism_name(cross));
  }
  bool binarises() const { return eatt::binarises(self) || eatt::binarises(cross); }
};

// One model in libtorch and in the runtime.
struct Twins {
  Transformer torch;
  RuntimeModel runtime;
};
Twins make_twins(const Architecture& architecture, uint64_t seed);

// Two layers, d 32, widths of Q and K other than that of V.
Architecture mixed_architecture(const Mix& mix);

}  // namespace eatt::testing
