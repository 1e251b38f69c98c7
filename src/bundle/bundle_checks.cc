#include "bundle/bundle_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text/printable.h"
#include "base/text/protobuf.h"

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
      "{}: has the {} that config.json gives for {}, so the two piece models are swapped; exchange "
      "their names",
      folder.shown(name), what, other));
}

std::string spec_text(Dtype dtype, const Shape& shape) {
  return fmt::format("{} {}", dtype_name(dtype), shape_text(shape));
}

}  // namespace

BundleFolder::BundleFolder(std::filesystem::path path)
    : path_(std::move(path)), folder_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.is_open()) return;
  if (errno == ENOTDIR) {
    throw Error(fmt::format(
        "{}: is a file, expected a bundle: the folder that holds config.json and the weights",
        path_.string()));
  }
  throw Error(fmt::format("{}: cannot be opened: {}; expected a bundle, a folder with config.json",
                          path_.string(), system_message(errno)));
}

uint64_t BundleFolder::file_bytes(const std::string& name) const {
  struct stat info {};
  if (::fstatat(folder_.get(), name.c_str(), &info, 0) != 0) {
    const char* advice = errno == ENOENT  ? "copy the bundle again, with all its files"
                         : errno == ELOOP ? "replace the link by the file"
                                          : "check the permissions";
    throw Error(fmt::format("{}: {}: {}; {}", shown(name),
                            errno == ENOENT ? "is missing" : "cannot be opened",
                            system_message(errno), advice));
  }
  if (S_ISDIR(info.st_mode)) {
    throw Error(
        fmt::format("{}: is a folder, expected a file; copy the bundle again", shown(name)));
  }
  if (!S_ISREG(info.st_mode)) {
    throw Error(fmt::format("{}: is a device or a pipe, expected a file; copy the bundle again",
                            shown(name)));
  }
  return static_cast<uint64_t>(info.st_size);
}

MappedFile BundleFolder::map(const std::string& name) const {
  return MappedFile(folder_, name, shown(name));
}

bool BundleFolder::was_replaced() const {
  struct stat held {};
  struct stat named {};
  return ::fstat(folder_.get(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         (held.st_dev != named.st_dev || held.st_ino != named.st_ino);
}

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
      "{}: has {} bytes, config.json says {}, so it was cut off or changed; copy the bundle again",
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
      "{}: its SHA-256 is {}…, config.json says {}…, so it was damaged or changed; copy the bundle "
      "again",
      folder.shown(name), found.substr(0, 16), expected.substr(0, 16)));
}

size_t count_pieces(std::span<const std::byte> bytes, const std::string& file_name) {
  constexpr uint32_t kPieceField = 1;
  size_t pieces = 0;
  try {
    ProtobufReader field({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    while (field.next()) {
      if (field.number() != kPieceField) continue;
      field.bytes();  // Checks its type.
      ++pieces;
    }
  } catch (const ProtobufError& error) {
    throw Error(fmt::format("{}: is not a SentencePiece model: {}; copy the file again", file_name,
                            error.what()));
  }
  if (pieces == 0) {
    throw Error(fmt::format(
        "{}: has no pieces in its {} bytes, expected a SentencePiece model; copy the file again",
        file_name, bytes.size()));
  }
  return pieces;
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
        "{}: tensor {} does not belong to the architecture of config.json; export the model again",
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
        "file is damaged, so export an earlier checkpoint or copy the bundle again",
        file_name, bad - values.begin(), in_quotes(tensor.name), *bad));
  }
}

}  // namespace eatt
