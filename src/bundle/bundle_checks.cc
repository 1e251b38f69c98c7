#include "bundle/bundle_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text/printable.h"
#include "bundle/piece_count.h"

namespace eatt {
namespace {

// The other piece model, if there are two and `name` is one of them.
std::string other_pieces(const Manifest& manifest, const std::string& name) {
  if (manifest.joint_pieces()) return {};
  if (name == manifest.source_pieces) return manifest.target_pieces;
  return name == manifest.target_pieces ? manifest.source_pieces : "";
}

[[noreturn]] void fail_as_swapped(const BundleFolder& folder, const std::string& name,
                                  const std::string& other, std::string_view what) {
  throw Error(fmt::format(
      "{}: has the {} that config.json gives for {}: the two piece models are swapped, exchange "
      "their names",
      folder.shown(name), what, other));
}

std::string spec_text(Dtype dtype, const Shape& shape) {
  return fmt::format("{} {}", dtype_name(dtype), shape_text(shape));
}

}  // namespace

Manifest read_manifest(const BundleFolder& folder) {
  const uint64_t bytes = folder.file_bytes(kManifestFile);
  if (bytes > kMaxManifestBytes) {
    throw Error(fmt::format("{}: has {} bytes, expected at most {}; copy the bundle again",
                            folder.shown(kManifestFile), bytes, kMaxManifestBytes));
  }
  const MappedFile file = folder.map(kManifestFile);
  return parse_manifest(file.text(), folder.shown(kManifestFile));
}

void check_size(const BundleFolder& folder, const Manifest& manifest, const std::string& name) {
  const uint64_t expected = manifest.files.at(name).bytes;
  const uint64_t found = folder.file_bytes(name);
  if (found == expected) return;
  const std::string other = other_pieces(manifest, name);
  if (!other.empty() && found == manifest.files.at(other).bytes &&
      folder.file_bytes(other) == expected) {
    fail_as_swapped(folder, name, other, "size");
  }
  throw Error(fmt::format(
      "{}: has {} bytes, config.json says {}; it was cut or changed: copy the bundle again",
      folder.shown(name), found, expected));
}

void check_hash(const BundleFolder& folder, const Manifest& manifest, const std::string& name,
                const MappedFile& file) {
  const std::string found = sha256_of(file);
  const std::string& expected = manifest.files.at(name).sha256;
  if (found == expected) return;
  const std::string other = other_pieces(manifest, name);
  if (!other.empty() && found == manifest.files.at(other).sha256) {
    fail_as_swapped(folder, name, other, "SHA-256");
  }
  throw Error(fmt::format(
      "{}: its SHA-256 is {}…, config.json says {}…; it was damaged or changed since: copy the "
      "bundle again",
      folder.shown(name), found.substr(0, 16), expected.substr(0, 16)));
}

void check_vocabulary(const BundleFolder& folder, const std::string& name, const MappedFile& file,
                      size_t rows, const std::string& embedding) {
  const size_t pieces = count_pieces(file.bytes(), folder.shown(name));
  if (pieces == rows) return;
  throw Error(fmt::format(
      "{}: has {} pieces, but the embedding '{}' in {} has {} rows, expected as many; put back the "
      "piece model that the weights were trained with",
      folder.shown(name), pieces, embedding, folder.shown(kWeightsFile), rows));
}

void check_tensors(const std::string& file_name, const Safetensors& weights,
                   std::span<const TensorSpec> expected) {
  std::set<std::string_view> known;
  for (const TensorSpec& spec : expected) {
    known.insert(spec.name);
    const TensorInfo* found = weights.find(spec.name);
    if (found == nullptr) {
      throw Error(fmt::format(
          "{}: tensor '{}' is missing, the architecture in config.json needs it as {}; export the "
          "model again",
          file_name, spec.name, spec_text(spec.dtype, spec.shape)));
    }
    if (found->dtype != spec.dtype || found->shape != spec.shape) {
      throw Error(fmt::format(
          "{}: tensor '{}' is {}, the architecture in config.json needs {}; export the model again",
          file_name, spec.name, spec_text(found->dtype, found->shape),
          spec_text(spec.dtype, spec.shape)));
    }
    if (const uint64_t start = weights.file_offset(*found); start % dtype_bytes(spec.dtype) != 0) {
      throw Error(fmt::format(
          "{}: tensor '{}' starts at byte {}, expected a multiple of {} so that it can be used in "
          "place; export the model again",
          file_name, spec.name, start, dtype_bytes(spec.dtype)));
    }
  }
  for (const TensorInfo& tensor : weights.tensors()) {
    if (known.contains(tensor.name)) continue;
    throw Error(fmt::format(
        "{}: tensor {} has no place in the architecture of config.json; export the model again",
        file_name, in_quotes(tensor.name)));
  }
}

void check_values(const std::string& file_name, const Safetensors& weights) {
  for (const TensorInfo& tensor : weights.tensors()) {
    if (tensor.dtype != Dtype::f32) continue;
    const auto values = weights.values<float>(tensor.name);
    const auto bad = std::ranges::find_if(values, [](float x) { return !std::isfinite(x); });
    if (bad == values.end()) continue;
    throw Error(fmt::format(
        "{}: value {} of tensor {} is {}, expected a finite number; the training diverged or the "
        "file is damaged: export an earlier checkpoint or copy the bundle again",
        file_name, bad - values.begin(), in_quotes(tensor.name), *bad));
  }
}

}  // namespace eatt
