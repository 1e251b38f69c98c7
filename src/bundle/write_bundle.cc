#include "bundle/write_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/sha256.h"
#include "bundle/bundle_checks.h"
#include "bundle/expected_tensors.h"
#include "text/language/language_profile.h"

namespace eatt {
namespace fs = std::filesystem;

namespace {

constexpr char kJointPieces[] = "joint.spm";
constexpr char kSourcePieces[] = "source.spm";
constexpr char kTargetPieces[] = "target.spm";

// A bundle of any version, damaged or not: its config.json names our format.
bool is_bundle(const fs::path& path) {
  try {
    const MappedFile config(path / kManifestFile);
    return config.text().substr(0, kMaxManifestBytes).find(kFormatName) != std::string_view::npos;
  } catch (const Error&) {
    return false;
  }
}

// What lies in the folder of a bundle, damaged or not, and is no file of it.
std::vector<fs::path> find_other_files(const fs::path& bundle) {
  constexpr std::array kOwn = {kManifestFile,  kWeightsFile, kTrainingFile, kResultsFile,
                               kLanguagesFile, kJointPieces, kSourcePieces, kTargetPieces};
  const MappedFile config(bundle / kManifestFile);
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(bundle)) {
    const std::string name = entry.path().filename().string();
    const bool own = std::ranges::find(kOwn, name) != kOwn.end() ||
                     config.text().find('"' + name + '"') != std::string_view::npos;
    if (!own || entry.is_directory()) others.push_back(entry.path());
  }
  return others;
}

// Never replaces a folder that is not a bundle and was given by mistake, nor deletes what is no
// part of the bundle. Returns what is to be kept.
std::vector<fs::path> check_target(const fs::path& path, OtherFiles rule) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  if (fs::is_directory(path, error) && fs::is_empty(path, error)) return {};
  if (!is_bundle(path)) {
    throw Error(fmt::format(
        "{}: exists but is not a bundle (it has no config.json), so it is not replaced; choose "
        "another name or remove it",
        path.string()));
  }
  std::vector<fs::path> others = find_other_files(path);
  if (others.empty() || rule == OtherFiles::kept) return others;
  throw Error(
      fmt::format("{}: holds {}, which is not a file of the model there, so the model is not "
                  "replaced; choose another name or move that away",
                  path.string(), others.front().filename().string()));
}

// Files become links to the same data, which cost nothing and leave the old folder as it is.
void keep_files(const std::vector<fs::path>& others, const fs::path& folder) {
  for (const fs::path& other : others) {
    const fs::path target = folder / other.filename();
    std::error_code error;
    if (fs::exists(target, error)) continue;
    if (fs::is_regular_file(other, error)) fs::create_hard_link(other, target, error);
    if (!fs::exists(target)) {
      fs::copy(other, target, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }
  }
}

// The tensors are exactly those of the architecture, as check_tensors() requires of a reader.
void check_contents(const BundleContents& contents) {
  const Architecture& a = contents.manifest.architecture;
  validate(a, "architecture");
  std::map<std::string_view, const TensorView*> given;
  for (const TensorView& tensor : contents.tensors) given[tensor.name] = &tensor;
  const auto expected = expected_tensors(a, contents.manifest.precision);
  for (const TensorSpec& spec : expected) {
    const auto tensor = given.find(spec.name);
    expects(tensor != given.end(), "the bundle gets tensor " + spec.name);
    expects(tensor->second->dtype == spec.dtype && tensor->second->shape == spec.shape,
            "type and shape are those of the architecture: " + spec.name);
  }
  expects(contents.tensors.size() == expected.size(), "the bundle gets no further tensors");
}

void check_pieces(const std::string& model, size_t rows, const std::string& side) {
  const std::string name = fmt::format("the {} piece model", side);
  const size_t pieces = count_pieces(std::as_bytes(std::span(model)), name);
  if (pieces == rows) return;
  throw Error(fmt::format(
      "{}: has {} pieces, but the {} embedding has {} rows, expected as many; give the piece model "
      "that the weights were trained with",
      name, pieces, side, rows));
}

FileRecord write_file(const fs::path& path, std::string_view bytes) {
  write_file_atomically(path, bytes);
  return {bytes.size(), sha256_hex(bytes)};
}

}  // namespace

Manifest write_bundle(const fs::path& path, const BundleContents& contents, OtherFiles others) {
  const bool joint = contents.target_piece_model.empty();
  const std::vector<fs::path> kept = check_target(path, others);
  check_contents(contents);
  check_pieces(contents.source_piece_model, contents.manifest.architecture.source_vocab, "source");
  check_pieces(joint ? contents.source_piece_model : contents.target_piece_model,
               contents.manifest.architecture.target_vocab, "target");
  if (!contents.languages_json.empty()) parse_profiles(contents.languages_json, kLanguagesFile);

  AtomicFolder folder(path);
  Manifest manifest = contents.manifest;
  manifest.source_pieces = joint ? kJointPieces : kSourcePieces;
  manifest.target_pieces = joint ? kJointPieces : kTargetPieces;
  manifest.files.clear();
  const auto write = [&](const std::string& name, std::string_view bytes) {
    if (!bytes.empty()) manifest.files[name] = write_file(folder.path() / name, bytes);
  };
  // Libraries such as Transformers require this key to load a file for PyTorch.
  manifest.files[kWeightsFile] =
      write_safetensors(folder.path() / kWeightsFile, contents.tensors, {{"format", "pt"}});
  write(manifest.source_pieces, contents.source_piece_model);
  write(manifest.target_pieces, contents.target_piece_model);
  write(kTrainingFile, contents.training_toml);
  write(kResultsFile, contents.results_json);
  write(kLanguagesFile, contents.languages_json);

  const std::string text = print_manifest(manifest);
  // A bundle that no reader would accept is refused here, before it replaces anything.
  manifest = parse_manifest(text, (path / kManifestFile).string());
  write_file_atomically(folder.path() / kManifestFile, text);
  keep_files(kept, folder.path());
  folder.commit();
  return manifest;
}

std::string derived_by(std::string_view command, std::span<const fs::path> inputs) {
  std::string text(command);
  for (const fs::path& input : inputs) {
    const fs::path name = input.lexically_normal();
    text += " " + (name.has_filename() ? name : name.parent_path()).string();
  }
  return text;
}

namespace {

// What made the bundle; empty if it was trained, or cannot be read.
std::string derivation_of(const fs::path& bundle) {
  try {
    const fs::path file = bundle / kManifestFile;
    const Manifest manifest = parse_manifest(read_file(file, kMaxManifestBytes), file.string());
    const auto found = manifest.made.find(kDerivedKey);
    return found == manifest.made.end() ? "" : found->second;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

void expect_own_bundle(const fs::path& path, const std::string& derived) {
  if (!is_bundle(path)) return;
  const std::string existing = derivation_of(path);
  if (existing == derived) return;
  throw Error(fmt::format(
      "{}: is a model that {}, so it is not replaced; choose another name, or add --overwrite",
      path.string(),
      existing.empty() ? "another command has made" : fmt::format("`eatt {}` has made", existing)));
}

}  // namespace eatt
