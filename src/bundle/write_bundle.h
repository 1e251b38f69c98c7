#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bundle/manifest.h"
#include "bundle/safetensors.h"

namespace eatt {

struct BundleContents {
  Manifest manifest;                // Names and records of the files are filled in on writing.
  std::vector<TensorView> tensors;  // Those of expected_tensors() of the precision, in any order.
  std::string source_piece_model;   // Bytes of a SentencePiece model.
  std::string target_piece_model;   // Empty: the source's serves both sides.
  std::string training_toml;        // How it was made; empty: no such file.
  std::string results_json;         // Its scores; empty: no such file.
};

// Writes a bundle to the folder `path`, or replaces the bundle there: a reader sees the old one or
// the new one, and after a crash one of them stands. The contents are checked first, as
// Bundle::open would check them. Refuses to replace a folder that is no bundle. Returns the
// manifest as written.
Manifest write_bundle(const std::filesystem::path& path, const BundleContents& contents);

}  // namespace eatt
