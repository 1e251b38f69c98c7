#include "bundle/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/utf8.h"

namespace eatt {

Safetensors::Safetensors(const std::filesystem::path& path)
    : Safetensors(MappedFile(path), path.string()) {}

Safetensors::Safetensors(MappedFile file, std::string shown_name)
    : file_(std::move(file)),
      shown_name_(std::move(shown_name)),
      header_(parse_safetensors_header(file_.bytes(), shown_name_)) {
  for (size_t i = 0; i < header_.tensors.size(); ++i) places_.emplace(header_.tensors[i].name, i);
}

const TensorInfo* Safetensors::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &header_.tensors[place->second];
}

TensorView Safetensors::tensor(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    throw Error(fmt::format("{}: has no tensor {} among its {}; export the model again",
                            shown_name_, in_quotes(name), header_.tensors.size()));
  }
  return view(*tensor);
}

TensorView Safetensors::view(const TensorInfo& tensor) const {
  return {tensor.name, tensor.dtype, tensor.shape,
          file_.bytes().subspan(file_offset(tensor), tensor.end - tensor.begin)};
}

std::span<const std::byte> Safetensors::checked_bytes(std::string_view name, Dtype dtype) const {
  const TensorView found = tensor(name);
  if (found.dtype != dtype) {
    throw Error(fmt::format("{}: tensor {} is {}, expected {}; export the model again", shown_name_,
                            in_quotes(name), dtype_name(found.dtype), dtype_name(dtype)));
  }
  // The mapping starts at a page, so only the offset decides.
  if (const uint64_t start = file_offset(*find(name)); start % dtype_bytes(dtype) != 0) {
    throw Error(fmt::format(
        "{}: tensor {} starts at byte {}, expected a multiple of {} so that it can be used in "
        "place; write the file again with a writer that aligns its tensors",
        shown_name_, in_quotes(name), start, dtype_bytes(dtype)));
  }
  return found.bytes;
}

FileRecord write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                             const std::map<std::string, std::string>& metadata) {
  std::map<std::string_view, std::span<const std::byte>> bytes;
  std::vector<TensorInfo> infos;
  for (const TensorView& tensor : tensors) {
    expects(tensor_bytes(tensor.dtype, tensor.shape) == tensor.bytes.size(),
            "a tensor has the bytes its shape says");
    expects(bytes.emplace(tensor.name, tensor.bytes).second, "a tensor's name is given once");
    infos.push_back({tensor.name, tensor.dtype, tensor.shape, 0, 0});
  }
  infos = place_tensors(std::move(infos));

  AtomicFile file(path);
  Sha256 hash;
  const auto write = [&](std::string_view part) {
    file.write(part);
    hash.update(part);
  };
  write(print_safetensors_header(infos, metadata));
  for (const TensorInfo& tensor : infos) {
    const auto& part = bytes.at(tensor.name);
    write({reinterpret_cast<const char*>(part.data()), part.size()});
  }
  file.commit();
  return {file.size(), hash.hex_digest()};
}

namespace {

struct DtypeFacts {
  std::string_view name;
  size_t bytes;
};

// In the order of the enum.
constexpr std::array<DtypeFacts, 13> kDtypes = {{{"BOOL", 1},
                                                 {"U8", 1},
                                                 {"I8", 1},
                                                 {"U16", 2},
                                                 {"I16", 2},
                                                 {"F16", 2},
                                                 {"BF16", 2},
                                                 {"U32", 4},
                                                 {"I32", 4},
                                                 {"F32", 4},
                                                 {"U64", 8},
                                                 {"I64", 8},
                                                 {"F64", 8}}};

}  // namespace

std::string_view dtype_name(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].name; }
size_t dtype_bytes(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].bytes; }

std::optional<Dtype> dtype_named(std::string_view name) {
  const auto found = std::ranges::find(kDtypes, name, &DtypeFacts::name);
  if (found == kDtypes.end()) return std::nullopt;
  return static_cast<Dtype>(found - kDtypes.begin());
}

std::string all_dtype_names() {
  std::vector<std::string_view> names;
  for (const DtypeFacts& facts : kDtypes) names.push_back(facts.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::optional<uint64_t> tensor_bytes(Dtype dtype, const Shape& shape) {
  // An empty tensor is empty whatever its other sizes are.
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  uint64_t bytes = dtype_bytes(dtype);
  for (const uint64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace eatt
