#include "bundle/bundle_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text/protobuf.h"
#include "base/text/utf8.h"
#include "bundle/expected_tensors.h"

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
  const int error_number = errno;
  if (error_number == ENOTDIR) {
    constexpr char kExpected[] =
        "is a file, expected a bundle: the folder that holds config.json and the weights";
    throw Error(fmt::format("{}: {}", path_.string(), explain_file(path_).value_or(kExpected)));
  }
  const auto near = error_number == ENOENT ? bundles_near(path_) : std::nullopt;
  throw Error(fmt::format("{}: cannot be opened: {}; {}", path_.string(),
                          system_message(error_number),
                          near.value_or("expected a bundle, a folder with config.json")));
}

bool BundleFolder::has(const std::string& name) const {
  return ::faccessat(folder_.get(), name.c_str(), F_OK, 0) == 0;
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
  if (!folder.has(kManifestFile)) {
    if (const auto other = explain_folder(folder.path())) {
      throw Error(fmt::format("{}: {}", folder.path().string(), *other));
    }
    if (!folder.has(kWeightsFile)) {
      throw Error(fmt::format(
          "{}: is not a model; a model is a folder with {}, {} and its vocabulary, as `eatt train` "
          "writes to RUN/best",
          folder.path().string(), kManifestFile, kWeightsFile));
    }
  }
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

namespace {

constexpr int64_t kMostSum = 32767;
constexpr size_t kPanelColumns = 256;  // Of a selection in panels, except its last.

class Int8Check {
 public:
  Int8Check(const std::string& file_name, const Safetensors& weights)
      : file_name_(file_name), weights_(weights) {}

  void check(const Int8Part& part) const {
    check_scales(part.name + ".scales");
    if (part.name.ends_with(".k_select")) check_same_units(part.name);
    if (part.is_selection) {
      check_selection(part);
    } else {
      check_sums(part);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& tensor, size_t index, const std::string& found,
                         const std::string& expected) const {
    throw Error(fmt::format(
        "{}: value {} of tensor '{}' is {}, expected {}; copy the bundle again or quantize the "
        "model again",
        file_name_, index, tensor, found, expected));
  }

  void check_scales(const std::string& name) const {
    const auto scales = weights_.values<float>(name);
    for (size_t i = 0; i < scales.size(); ++i) {
      if (std::isfinite(scales[i]) && scales[i] > 0) continue;
      fail(name, i, fmt::format("{}", scales[i]), "a finite number above 0");
    }
  }

  // Distances of integers need one unit for queries and keys.
  void check_same_units(const std::string& keys) const {
    const std::string queries = keys.substr(0, keys.size() - 8) + "q_select";
    const auto ours = weights_.values<float>(keys + ".scales");
    const auto theirs = weights_.values<float>(queries + ".scales");
    for (size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] == theirs[i]) continue;
      fail(keys + ".scales", i, fmt::format("{}", ours[i]),
           fmt::format("{}, as in '{}.scales'", theirs[i], queries));
    }
  }

  void check_sums(const Int8Part& part) const {
    const auto sums = weights_.values<int32_t>(part.name + ".sums");
    const auto panels = weights_.values<int8_t>(part.name + ".panels");
    const size_t panel_size = panels.size() / sums.size() * kInt8Columns;
    for (size_t first = 0; first < sums.size(); first += kInt8Columns) {
      const auto panel = panels.subspan(first / kInt8Columns * panel_size, panel_size);
      int32_t found[kInt8Columns] = {};
      for (size_t at = 0; at < panel.size(); ++at) {
        // Some instruction sets negate weights, and +128 does not fit int8.
        if (panel[at] == -128) {
          fail(part.name + ".panels", first / kInt8Columns * panel_size + at, "-128",
               "at least -127");
        }
        found[at / kInt8Inputs % kInt8Columns] += panel[at];
      }
      for (size_t c = 0; c < kInt8Columns; ++c) {
        if (found[c] == sums[first + c]) continue;
        fail(part.name + ".sums", first + c, std::to_string(sums[first + c]),
             fmt::format("{}, the sum of its column in the panels", found[c]));
      }
    }
  }

  void check_selection(const Int8Part& part) const {
    const auto bias = weights_.values<int16_t>(part.name + ".bias");
    const auto packed = weights_.values<uint8_t>(part.name + ".packed");
    const size_t padded = packed.size() / part.in;
    std::vector<int64_t> highest(padded), lowest(padded);
    std::ranges::copy(bias, highest.begin());
    std::ranges::copy(bias, lowest.begin());
    const size_t panel = part.layout == SelectionLayout::panels ? kPanelColumns : padded;
    size_t at = 0;
    for (size_t first = 0; first < padded; first += panel) {
      const size_t width = std::min(panel, padded - first);
      for (size_t i = 0; i < part.in; ++i, at += width) {
        add_input(packed.subspan(at, width), &highest[first], &lowest[first]);
      }
    }
    for (size_t c = 0; c < part.out; ++c) {
      if (highest[c] <= kMostSum && lowest[c] >= -kMostSum) continue;
      fail(part.name + ".bias", c, std::to_string(bias[c]),
           fmt::format("one with which sums stay within ±{}: they reach {} and {}", kMostSum,
                       lowest[c], highest[c]));
    }
  }

  // Of 64 columns, byte 2·i is column i plus 128, byte 2·i + 1 is column 32 + i.
  static void add_input(std::span<const uint8_t> bytes, int64_t* highest, int64_t* lowest) {
    for (size_t at = 0; at < bytes.size(); ++at) {
      const bool lower = at % 2 == 0;
      const size_t column =
          at / kInt8Columns * kInt8Columns + at % kInt8Columns / 2 + (lower ? 0 : kInt8Columns / 2);
      const int value = lower ? bytes[at] - 128 : static_cast<int8_t>(bytes[at]);
      (value > 0 ? highest : lowest)[column] += value;
    }
  }

  const std::string& file_name_;
  const Safetensors& weights_;
};

}  // namespace

void check_int8_values(const std::string& file_name, const Safetensors& weights,
                       const Architecture& architecture) {
  const Int8Check check(file_name, weights);
  for (const Int8Part& part : int8_parts(architecture)) check.check(part);
}

}  // namespace eatt
