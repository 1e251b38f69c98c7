#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "runtime/layers/memory.h"

namespace eatt {

// What eight bits cost a matrix: sums of squares over all its weights.
struct QuantizationError {
  std::string name;  // Of the int8 matrix: "encoder.layers.0.fc1".
  double errors = 0;
  double weights = 0;

  // Root mean square of the error over that of the weights; 0 for a matrix of zeros.
  double relative() const;
};

// All tensors of the int8 model, expected_tensors(…, Precision::int8), from those of a float32
// bundle. Scales of scores that are not folded yet are folded on the way: the result belongs to
// with_folded_scales(bundle.architecture()). Computes on all threads; the result does not depend on
// their number. Throws an Error if the bundle is not float32 or has a value that is not finite.
//
// `errors`, if not null, gets an entry per matrix in the order of int8_parts().
NamedTensors quantize(const Bundle& bundle, std::vector<QuantizationError>* errors = nullptr);

// Writes the int8 bundle of a float32 one to the folder `path`: its tensors, which quantize() gave,
// with the piece models, training.toml and results.json of `bundle`. Its golden pair is `golden`.
// Returns the manifest as written. Errors are those of write_bundle.
Manifest write_int8_bundle(const std::filesystem::path& path, const Bundle& bundle,
                           const NamedTensors& tensors, const std::optional<GoldenPair>& golden);

}  // namespace eatt
