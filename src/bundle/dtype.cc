#include "bundle/dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace eatt {
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
