#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/mapped_file.h"
#include "bundle/file_record.h"
#include "bundle/safetensors_header.h"

namespace eatt {

// A tensor's description and a view of its bytes.
struct TensorView {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  std::span<const std::byte> bytes;
};

// A safetensors file, mapped: opening reads the header only, and a tensor's bytes come from the
// disk when they are first touched. Views stay valid as long as this object, moved or not.
class Safetensors {
 public:
  // Throws an Error that names the file if it cannot be opened or is damaged.
  explicit Safetensors(const std::filesystem::path& path);
  Safetensors(MappedFile file, std::string shown_name);

  const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const MappedFile& file() const { return file_; }

  // Null if there is none of that name.
  const TensorInfo* find(std::string_view name) const;
  // An Error if there is none of that name.
  TensorView tensor(std::string_view name) const;
  TensorView view(const TensorInfo& tensor) const;

  // The elements, without a copy. An Error if the tensor is missing, has another type, or (only in
  // files of other writers) starts at a byte where a T cannot.
  template <typename T>
  std::span<const T> values(std::string_view name) const {
    const auto bytes = checked_bytes(name, dtype_of<T>());
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  // The byte of the file at which the tensor starts: a multiple of its element in our own files.
  uint64_t file_offset(const TensorInfo& tensor) const { return header_.data_start + tensor.begin; }

 private:
  std::span<const std::byte> checked_bytes(std::string_view name, Dtype dtype) const;

  MappedFile file_;
  std::string shown_name_;
  SafetensorsHeader header_;
  std::map<std::string, size_t, std::less<>> places_;  // Name to index in header_.tensors.
};

// Writes the tensors through an AtomicFile, hashing on the way; nothing is copied. Names must be
// different and bytes as many as the shapes say. How tensors are placed: see place_tensors.
FileRecord write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                             const std::map<std::string, std::string>& metadata = {});

}  // namespace eatt
