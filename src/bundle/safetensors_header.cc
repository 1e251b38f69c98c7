#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/utf8.h"
#include "bundle/safetensors.h"

namespace eatt {
namespace {

constexpr char kAdvice[] = "the file is damaged or not a safetensors file: export or copy it again";
constexpr size_t kLengthBytes = 8;

// The deepest value is an array in a tensor in the header. A tensor counts as six values (itself,
// its dtype, two arrays, two offsets) and its sizes.
constexpr JsonLimits kLimits = {
    .max_bytes = kMaxHeaderBytes, .max_depth = 3, .max_values = kMaxTensors * (6 + kMaxRank)};

[[noreturn]] void fail(const std::string& file, std::string_view what) {
  throw Error(fmt::format("{}: {}; {}", file, what, kAdvice));
}

// The JSON text of the header, after its length.
std::string_view header_text(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.size() < kLengthBytes) {
    fail(file,
         fmt::format("has {} bytes, expected at least {} (the length of a safetensors header)",
                     bytes.size(), kLengthBytes));
  }
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<uint64_t>(std::to_integer<uint8_t>(bytes[i])) << (8 * i);
  }
  if (length > kMaxHeaderBytes) {
    fail(file,
         fmt::format("has a header of {} bytes, expected at most {}", length, kMaxHeaderBytes));
  }
  if (length > bytes.size() - kLengthBytes) {
    fail(file,
         fmt::format("has a header of {} bytes that goes beyond the end of the file, expected "
                     "at most {} after the first {}",
                     length, bytes.size() - kLengthBytes, kLengthBytes));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
  if (!text.starts_with('{')) {
    fail(file, fmt::format("has a header that starts with {}, expected a JSON object: '{{'",
                           in_quotes(text.substr(0, 1))));
  }
  return text;
}

// The tensor `name` with its own numbers checked: its bytes lie inside the data and are as many as
// its shape needs.
TensorInfo read_tensor(const std::string& name, const JsonNode& node, uint64_t data_bytes,
                       const std::string& file) {
  node.allow_only({"dtype", "shape", "data_offsets"});
  TensorInfo tensor{.name = name, .shape = {}};
  const auto dtype = dtype_named(node["dtype"].text());
  if (!dtype) node["dtype"].fail("one of " + all_dtype_names());
  tensor.dtype = *dtype;

  const auto sizes = node["shape"].items();
  if (sizes.size() > kMaxRank) node["shape"].fail(fmt::format("at most {} sizes", kMaxRank));
  for (const JsonNode& size : sizes) tensor.shape.push_back(size.integer(0, UINT64_MAX));

  const auto offsets = node["data_offsets"].items();
  if (offsets.size() != 2) node["data_offsets"].fail("two offsets, begin and end");
  tensor.begin = offsets[0].integer(0, UINT64_MAX);
  tensor.end = offsets[1].integer(0, UINT64_MAX);
  if (tensor.begin > tensor.end) {
    fail(file, fmt::format("tensor {} begins at byte {} of the data and ends before it, at {}",
                           in_quotes(name), tensor.begin, tensor.end));
  }
  if (tensor.end > data_bytes) {
    fail(file, fmt::format("tensor {} ends at byte {} of the data, but the file has only {}",
                           in_quotes(name), tensor.end, data_bytes));
  }

  const auto bytes = tensor_bytes(tensor.dtype, tensor.shape);
  if (!bytes) {
    fail(file, fmt::format("tensor {} of shape {} needs more bytes than 64 bits can count",
                           in_quotes(name), shape_text(tensor.shape)));
  }
  if (*bytes != tensor.end - tensor.begin) {
    fail(file, fmt::format("tensor {} has {} bytes, expected {} for {} {}", in_quotes(name),
                           tensor.end - tensor.begin, *bytes, dtype_name(tensor.dtype),
                           shape_text(tensor.shape)));
  }
  return tensor;
}

// Every byte of the data belongs to exactly one tensor. `tensors` in the order of their bytes.
void check_cover(std::span<const TensorInfo> tensors, uint64_t data_bytes,
                 const std::string& file) {
  uint64_t covered = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    if (tensor.begin < covered) {
      fail(file,
           fmt::format("tensors {} and {} overlap: the first ends at byte {} of the data, the "
                       "second begins at {}",
                       in_quotes(tensors[i - 1].name), in_quotes(tensor.name), covered,
                       tensor.begin));
    }
    if (tensor.begin > covered) {
      fail(file, fmt::format("bytes {} to {} of the data, before tensor {}, belong to no tensor",
                             covered, tensor.begin, in_quotes(tensor.name)));
    }
    covered = tensor.end;
  }
  if (covered != data_bytes) {
    fail(file, fmt::format("the last {} bytes, after the last tensor, belong to no tensor",
                           data_bytes - covered));
  }
}

// The largest power of two up to kAlignment that divides `bytes`.
uint64_t alignment_of(uint64_t bytes) {
  return bytes % kAlignment == 0 ? kAlignment : bytes & (~bytes + 1);
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes,
                                           const std::string& file_name) {
  const std::string_view text = header_text(bytes, file_name);
  const JsonOrigin origin{file_name, kAdvice};
  const nlohmann::json parsed = parse_json(text, origin, kLimits);
  if (parsed.size() > kMaxTensors) {
    fail(file_name, fmt::format("has {} tensors, expected at most {}", parsed.size(), kMaxTensors));
  }

  SafetensorsHeader header;
  header.data_start = kLengthBytes + text.size();
  const uint64_t data_bytes = bytes.size() - header.data_start;
  for (const auto& [name, node] : JsonNode(parsed, origin).members()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : node.members()) header.metadata[key] = value.text(SIZE_MAX);
    } else {
      header.tensors.push_back(read_tensor(name, node, data_bytes, file_name));
    }
  }
  std::ranges::sort(header.tensors, {},
                    [](const TensorInfo& t) { return std::tuple(t.begin, t.end, t.name); });
  check_cover(header.tensors, data_bytes, file_name);
  return header;
}

std::vector<TensorInfo> place_tensors(std::vector<TensorInfo> tensors) {
  for (TensorInfo& tensor : tensors) {
    const auto bytes = tensor_bytes(tensor.dtype, tensor.shape);
    expects(bytes.has_value(), "a tensor in memory has a size");
    tensor.begin = 0;
    tensor.end = *bytes;
  }
  std::ranges::stable_sort(tensors, std::greater(),
                           [](const TensorInfo& t) { return alignment_of(t.end); });
  uint64_t offset = 0;
  for (TensorInfo& tensor : tensors) {
    tensor.begin += offset;
    tensor.end += offset;
    offset = tensor.end;
  }
  return tensors;
}

std::string print_safetensors_header(std::span<const TensorInfo> tensors,
                                     const std::map<std::string, std::string>& metadata) {
  using nlohmann::json;
  std::vector<std::string> members;
  if (!metadata.empty()) members.push_back("\"__metadata__\":" + json(metadata).dump());
  for (const TensorInfo& tensor : tensors) {
    members.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                                  json(tensor.name).dump(), dtype_name(tensor.dtype),
                                  json(tensor.shape).dump(), tensor.begin, tensor.end));
  }
  std::string text = fmt::format("{{{}}}", fmt::join(members, ","));
  const uint64_t unaligned = (kLengthBytes + text.size()) % kAlignment;
  if (unaligned != 0) text.append(kAlignment - unaligned, ' ');

  std::string header;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    header += static_cast<char>(static_cast<uint64_t>(text.size()) >> (8 * i) & 0xff);
  }
  return header + text;
}

}  // namespace eatt
