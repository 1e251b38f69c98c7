#pragma once

#include <filesystem>
#include <optional>

#include "bundle/bundle.h"
#include "runtime/layers/named_tensors.h"

namespace eatt {

// Writes the int8 bundle of a float32 one to the folder `path`: its tensors, which quantize() gave,
// with the piece models, training.toml and results.json of `bundle`. Its golden pair is `golden`.
// Returns the manifest as written. Errors are those of write_bundle.
Manifest write_int8_bundle(const std::filesystem::path& path, const Bundle& bundle,
                           const NamedTensors& tensors, const std::optional<GoldenPair>& golden);

}  // namespace eatt
