#pragma once

#include <filesystem>
#include <string>

#include "bundle/manifest.h"
#include "model/bundle_weights.h"
#include "text/pieces/pieces.h"

namespace eatt {

// What a bundle needs beside architecture and weights.
struct BundleOrigin {
  std::string source_language, target_language;
  std::string source_piece_model, target_piece_model;  // Bytes; equal if there is one for both.
  std::string training_toml, results_json;             // May be empty.
  std::map<std::string, std::string> made;
  std::string golden_source;  // A sentence to translate and remember; empty: none.
};

// Writes a bundle with the factors of scores folded into the projections. Returns what was written.
Manifest export_bundle(const std::filesystem::path& path, Architecture architecture,
                       NamedWeights weights, const BundleOrigin& origin);

}  // namespace eatt
