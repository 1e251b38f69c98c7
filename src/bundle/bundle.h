#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/open_file.h"
#include "bundle/architecture.h"
#include "bundle/safetensors.h"

namespace eatt {

struct LanguageProfile;  // text/language/language_profile.h

inline constexpr char kFormatName[] = "eatt-bundle";
inline constexpr int kFormatVersion = 1;
inline constexpr uint64_t kMaxManifestBytes = 1 << 20;
inline constexpr char kManifestFile[] = "config.json";
inline constexpr char kWeightsFile[] = "model.safetensors";
inline constexpr char kTrainingFile[] = "training.toml";
inline constexpr char kResultsFile[] = "results.json";
inline constexpr char kLanguagesFile[] = "languages.json";

// A sentence and its translation when the bundle was written, to detect a build or a machine that
// computes something else.
struct GoldenPair {
  std::string source;
  std::string target;       // Greedy search, pieces joined to text.
  double score = 0;         // Natural logarithm of the target's probability, end marker included.
  double tolerance = 1e-3;  // How far another machine's score may be off.

  bool operator==(const GoldenPair&) const = default;
};

// config.json: what the bundle is and what its other files are.
struct Manifest {
  Architecture architecture;
  Precision precision = Precision::float32;
  std::string source_language;  // Codes such as "en", "zh-Hant".
  std::string target_language;
  std::string source_pieces;  // Names of the piece models; the same if there is only one.
  std::string target_pieces;
  std::map<std::string, FileRecord> files;  // Every file but config.json itself.
  std::optional<GoldenPair> golden;         // Absent where nothing was trained.
  std::map<std::string, std::string> made;  // How it was made: "program", "command", "date", …

  bool joint_pieces() const { return source_pieces == target_pieces; }
  bool operator==(const Manifest&) const = default;
};

// Reads and checks the text of config.json; an Error naming `file_name` and the JSON path of what
// is wrong. A newer format version is rejected before anything else is read. Unknown keys are
// ignored, except inside `architecture`, where they would change what the weights mean.
Manifest parse_manifest(std::string_view text, const std::string& file_name);
std::string print_manifest(const Manifest& manifest);

class BundleFolder;

struct OpenOptions {
  bool verify_hashes = true;  // Reads every file; without, opening reads a few kilobytes.
};

// What reports call a bundle: its folder, and of a run's `best` or `last` the run's too.
std::string bundle_name(const std::filesystem::path& path);

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

  // training.toml, results.json and languages.json; empty where there is none.
  std::string_view training_toml() const { return training_.text(); }
  std::string_view results_json() const { return results_.text(); }
  std::string_view languages_json() const { return languages_.text(); }
  // The profiles of languages.json, to detect languages; none where there is none. Throws an Error
  // if they are damaged.
  std::vector<LanguageProfile> language_profiles() const;

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
  MappedFile languages_;
};

}  // namespace eatt
