#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/files/mapped_file.h"
#include "bundle/manifest.h"
#include "bundle/safetensors.h"

namespace eatt {

class BundleFolder;

struct OpenOptions {
  bool verify_hashes = true;  // Reads every file; without, opening reads a few kilobytes.
};

// A model folder, opened and checked: manifest, files and sizes, tensors against the architecture,
// pieces against the embeddings. Weights and piece models are mapped, not copied, and stay valid
// while this object lives, even if another bundle takes its place on the disk.
class Bundle {
 public:
  // Throws an Error with one sentence: which file, what was found, what was expected, what to do.
  static Bundle open(const std::filesystem::path& path, OpenOptions options = {});

  const std::filesystem::path& path() const { return path_; }
  const Manifest& manifest() const { return manifest_; }
  const Architecture& architecture() const { return manifest_.architecture; }
  const Safetensors& weights() const { return weights_; }

  // The bytes of the SentencePiece models; the same bytes if there is one for both sides.
  std::string_view source_piece_model() const { return source_pieces_.text(); }
  std::string_view target_piece_model() const {
    return target_pieces_ ? target_pieces_->text() : source_pieces_.text();
  }

  // training.toml and results.json; empty where there is none.
  std::string_view training_toml() const { return training_.text(); }
  std::string_view results_json() const { return results_.text(); }

 private:
  struct Files;
  Bundle(const BundleFolder& folder, Files files);

  std::filesystem::path path_;
  Manifest manifest_;
  Safetensors weights_;
  MappedFile source_pieces_;
  std::optional<MappedFile> target_pieces_;  // Absent if there is one for both sides.
  MappedFile training_;
  MappedFile results_;
};

}  // namespace eatt
