#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/bundle.h"
#include "bundle/safetensors.h"

namespace eatt {

struct BundleContents {
  Manifest manifest;                // Names and records of the files are filled in on writing.
  std::vector<TensorView> tensors;  // Those of expected_tensors() of the precision, in any order.
  std::string source_piece_model;   // Bytes of a SentencePiece model.
  std::string target_piece_model;   // Empty: the source's serves both sides.
  std::string training_toml;        // How it was made; empty: no such file.
  std::string results_json;         // Its scores; empty: no such file.
  std::string languages_json;       // Profiles of its languages; empty: no such file.
};

// What becomes of files that somebody put into the folder of a bundle that is replaced.
enum class OtherFiles {
  refused,  // An Error: they would be lost with the bundle.
  kept,     // They move on into the new one: training does not end for the sake of a note.
};

// Writes a bundle to the folder `path`, or replaces the bundle there: a reader sees the old one or
// the new one, and after a crash one of them stands. The contents are checked first, as
// Bundle::open would check them. Refuses to replace a folder that is no bundle. Returns the
// manifest as written.
Manifest write_bundle(const std::filesystem::path& path, const BundleContents& contents,
                      OtherFiles others = OtherFiles::refused);

// Manifest::made has under this key the command that made the bundle of other models, such as
// "quantize runs/eatt/best". Bundles that were trained do not have it.
inline constexpr char kDerivedKey[] = "derived";
std::string derived_by(std::string_view command, std::span<const std::filesystem::path> inputs);

// Throws an Error if `path` is a bundle that was made in another way than `derived`: a command may
// be repeated, but does not replace the model of another one.
void expect_own_bundle(const std::filesystem::path& path, const std::string& derived);

}  // namespace eatt
