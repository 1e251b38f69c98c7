#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/files/open_file.h"

namespace eatt {

// Element types of safetensors that this project reads and writes.
enum class Dtype { boolean, u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64 };

std::string_view dtype_name(Dtype dtype);  // As in the file: "F32", "BF16", "BOOL", …
size_t dtype_bytes(Dtype dtype);
std::optional<Dtype> dtype_named(std::string_view name);
std::string all_dtype_names();  // "BOOL, U8, …", for messages

template <typename T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) return Dtype::f32;
  if constexpr (std::is_same_v<T, double>) return Dtype::f64;
  if constexpr (std::is_same_v<T, uint8_t>) return Dtype::u8;
  if constexpr (std::is_same_v<T, int8_t>) return Dtype::i8;
  if constexpr (std::is_same_v<T, uint16_t>) return Dtype::u16;
  if constexpr (std::is_same_v<T, int16_t>) return Dtype::i16;
  if constexpr (std::is_same_v<T, uint32_t>) return Dtype::u32;
  if constexpr (std::is_same_v<T, int32_t>) return Dtype::i32;
  if constexpr (std::is_same_v<T, uint64_t>) return Dtype::u64;
  if constexpr (std::is_same_v<T, int64_t>) return Dtype::i64;
}

using Shape = std::vector<uint64_t>;

std::string shape_text(const Shape& shape);  // "[512, 64]", "[]" for a scalar

// Bytes of a tensor, or nothing if the product does not fit 64 bits.
std::optional<uint64_t> tensor_bytes(Dtype dtype, const Shape& shape);

// What config.json records about each file of a bundle.
struct FileRecord {
  uint64_t bytes = 0;
  std::string sha256;  // 64 lower-case hexadecimal digits.

  bool operator==(const FileRecord&) const = default;
};

// The safetensors format: eight bytes N (little-endian), N bytes of JSON, then the tensors' bytes,
// row-major and little-endian, each byte belonging to exactly one tensor.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  uint64_t begin = 0;  // Counted from the start of the data.
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;              // In the order of their bytes.
  std::map<std::string, std::string> metadata;  // The texts under "__metadata__".
  uint64_t data_start = 0;                      // Counted from the start of the file.
};

inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // The format's own limit.
inline constexpr size_t kMaxTensors = 100'000;
inline constexpr size_t kMaxRank = 8;
inline constexpr uint64_t kAlignment = 64;  // A cache line, and the widest vector register.

// Reads and checks the header of a whole file's bytes; the tensors' own bytes are not touched.
// Whatever the bytes are, the result is a header whose every offset lies inside them, or an Error
// naming `file_name`.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes,
                                           const std::string& file_name);

// Gives the tensors (name, dtype and shape set) their places, and returns them in the order of
// their bytes: in descending alignment of their sizes, otherwise as given.
//
// The format allows no holes, so there is no padding between tensors. But where tensors are sorted
// by the largest power of two (up to 64) that divides their size, each starts at a multiple of that
// power: all sizes before it are multiples. So a tensor whose size is a multiple of 64 bytes starts
// at a multiple of 64 (in a usual model all of them), and any other at a multiple of its element.
std::vector<TensorInfo> place_tensors(std::vector<TensorInfo> tensors);

// The length, the JSON, and spaces up to the next multiple of 64. `tensors` as place_tensors
// returns them.
std::string print_safetensors_header(std::span<const TensorInfo> tensors,
                                     const std::map<std::string, std::string>& metadata);

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
