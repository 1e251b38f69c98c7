#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/open_file.h"
#include "bundle/bundle.h"
#include "bundle/expected_tensors.h"
#include "bundle/safetensors.h"

namespace eatt {

// A bundle's folder, held open: files come from this very folder even if another bundle takes its
// place meanwhile, so a reader never gets the files of two bundles.
class BundleFolder {
 public:
  // Throws an Error if `path` is not a folder that can be opened.
  explicit BundleFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::string shown(const std::string& name) const { return (path_ / name).string(); }

  bool has(const std::string& name) const;
  // The size of a file of the bundle; an Error if it is missing, a folder, a symlink loop, ….
  uint64_t file_bytes(const std::string& name) const;
  MappedFile map(const std::string& name) const;

  // True if the path now leads to another folder than the one that was opened.
  bool was_replaced() const;

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

// What Bundle::open and check_bundle check, step by step. Each throws an Error: which file, what
// was found, what was expected, what to do.
Manifest read_manifest(const BundleFolder& folder);

// The file is there and has the size that the manifest says. Swapped piece models are named as
// such, here and by their hashes.
void check_size(const BundleFolder& folder, const Manifest& manifest, const std::string& name);

void check_hash(const BundleFolder& folder, const Manifest& manifest, const std::string& name,
                const MappedFile& file);

// How many pieces a SentencePiece model (.spm) holds, without the SentencePiece library: the file
// is a protocol-buffer message whose field 1, repeated, is a piece. Walks over the message's
// top-level fields without reading inside them. Throws an Error naming `file_name` if the bytes
// are not such a message or hold no piece.
size_t count_pieces(std::span<const std::byte> bytes, const std::string& file_name);

// The piece model `name` has as many pieces as the embedding of its side has rows.
void check_vocabulary(const BundleFolder& folder, const std::string& name, const MappedFile& file,
                      size_t rows, const std::string& embedding);

// The file has exactly the expected tensors, each with its type and shape, and each where its
// elements can be used in place.
void check_tensors(const std::string& file_name, const Safetensors& weights,
                   std::span<const TensorSpec> expected);

// No value is infinite or not a number. Reads everything.
void check_values(const std::string& file_name, const Safetensors& weights);

// The values of an int8 model fit each other: sums are those of their panels, scales are finite and
// above 0, and no selection can leave 16 bits. The tensors are those that check_tensors wants.
// Reads everything; throws an Error that names the first tensor with a wrong value.
void check_int8_values(const std::string& file_name, const Safetensors& weights,
                       const Architecture& architecture);

enum class CheckState { ok, failed, skipped };

struct CheckResult {
  std::string name;  // "config.json", "tensors", …
  CheckState state = CheckState::ok;
  std::string detail;  // What was found; the sentence of a failure; what a skipped check needs.
};

struct CheckOptions {
  bool hashes = true;
};

// Checks everything about the bundle at `path` that can be checked without a decoder, and continues
// after a failure: a bad bundle is a result here, not an exception. Reads all weights.
std::vector<CheckResult> check_bundle(const std::filesystem::path& path, CheckOptions options = {});

// Hints for messages about a path that was given as a bundle but is not one: what it seems to be,
// and what to type instead.

// What a folder without config.json is, if that is known, for the end of a message:
//   "is a training run, not a model; use runs/eatt/best"
std::optional<std::string> explain_folder(const std::filesystem::path& folder);

// What to say about a file that belongs to a bundle: "is a file of a model; use runs/eatt/best"
std::optional<std::string> explain_file(const std::filesystem::path& file);

// Throws an Error if the bundle is int8, which names the float32 bundle to use instead.
void expect_float32(const Bundle& bundle);

// The bundles nearest to a path that does not exist: "runs/eatt has best and last"
std::optional<std::string> bundles_near(const std::filesystem::path& missing);

}  // namespace eatt
