#include "bundle/safetensors.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/printable.h"

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

}  // namespace eatt
