// A bundle of random weights and its int8 tensors, with readers of their packed numbers.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bundle/expected_tensors.h"
#include "runtime/int8/quantize.h"
#include "support/files.h"
#include "support/int8_numbers.h"
#include "support/tiny_bundle.h"

namespace eatt::testing {

// Widths that are no multiple of anything: 6 features, 3 heads, 81 outputs of q, k and v.
inline Architecture odd_widths(Mechanism mechanism) {
  Architecture a = tiny_architecture(mechanism);
  a.model_dim = 6;
  a.heads = 3;
  a.ffn_dim = 70;
  a.attention_dim = 9;
  a.qk_dim = 36;
  a.target_vocab = 130;
  return a;
}

struct Quantized {
  explicit Quantized(RandomBundle& written)
      : bundle(
            (write_bundle(folder / "model", written.contents()), Bundle::open(folder / "model"))),
        tensors(quantize(bundle, &errors)) {}
  explicit Quantized(const Architecture& a) : Quantized(*std::make_unique<RandomBundle>(a)) {}

  std::span<const float> given(const std::string& name) const {
    return bundle.weights().values<float>(name);
  }
  std::span<const float> scales(const std::string& part) const {
    return tensors.values<float>(part + ".scales");
  }

  int number(const std::string& part, size_t column, size_t i, size_t in) const {
    return product_number(tensors, part, column, i, in);
  }
  int selected(const Int8Part& part, size_t column, size_t i) const {
    return selection_number(tensors, part, column, i);
  }

  const TemporaryFolder folder;
  const Bundle bundle;
  std::vector<QuantizationError> errors;
  const NamedTensors tensors;
};

inline const Int8Part& part_named(const std::vector<Int8Part>& parts, const std::string& name) {
  return *std::ranges::find(parts, name, &Int8Part::name);
}

inline constexpr std::array kAllMechanisms = {Mechanism::vanilla,   Mechanism::eatt,
                                              Mechanism::selection, Mechanism::l1,
                                              Mechanism::dense,     Mechanism::randinit};

}  // namespace eatt::testing
