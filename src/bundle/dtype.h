#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

}  // namespace eatt
