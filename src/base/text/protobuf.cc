#include "base/text/protobuf.h"

#include <fmt/format.h>

#include <cstring>

namespace eatt {
namespace {

constexpr uint64_t kLargestFieldNumber = 0x1fffffff;  // 29 bits, as the format says.

void append_varint(uint64_t value, std::string& message) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}

void append_key(uint32_t number, WireType type, std::string& message) {
  append_varint(uint64_t{number} << 3 | static_cast<uint64_t>(type), message);
}

}  // namespace

bool ProtobufReader::next() {
  if (at_ == message_.size()) return false;
  start_ = at_;
  const uint64_t key = take_varint();
  if (key >> 3 == 0 || key >> 3 > kLargestFieldNumber) {
    fail(start_,
         fmt::format("found field number {}, expected 1 to {}", key >> 3, kLargestFieldNumber));
  }
  number_ = static_cast<uint32_t>(key >> 3);
  type_ = static_cast<WireType>(key & 7);
  switch (type_) {
    case WireType::varint:
      varint_ = take_varint();
      return true;
    case WireType::fixed64:
      bytes_ = take(8);
      return true;
    case WireType::bytes:
      bytes_ = take(take_varint());
      return true;
    case WireType::fixed32:
      bytes_ = take(4);
      return true;
  }
  // 3 and 4 (groups) are obsolete; 6 and 7 are not defined.
  fail(start_, fmt::format("found wire type {}, expected 0, 1, 2 or 5", key & 7));
}

uint64_t ProtobufReader::varint() const {
  expect_type(WireType::varint);
  return varint_;
}

float ProtobufReader::fixed32_float() const {
  expect_type(WireType::fixed32);
  float value;
  std::memcpy(&value, bytes_.data(), sizeof value);
  return value;
}

std::string_view ProtobufReader::bytes() const {
  expect_type(WireType::bytes);
  return bytes_;
}

// Seven bits a byte, the lowest first; the tenth byte has room for one bit only.
uint64_t ProtobufReader::take_varint() {
  const size_t begin = at_;
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1)[0]);
    if (shift == 63 && byte > 1) break;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail(begin, "a varint has more than 64 bits");
}

std::string_view ProtobufReader::take(uint64_t size) {
  const size_t left = message_.size() - at_;
  if (size > left) fail(at_, fmt::format("expected {} more bytes, found {}", size, left));
  const std::string_view taken = message_.substr(at_, size);
  at_ += size;
  return taken;
}

void ProtobufReader::expect_type(WireType type) const {
  if (type_ == type) return;
  fail(start_, fmt::format("field {} has wire type {}, expected {}", number_,
                           static_cast<int>(type_), static_cast<int>(type)));
}

void ProtobufReader::fail(size_t at, std::string_view what) const {
  throw ProtobufError(fmt::format("at byte {} of {}: {}", at, message_.size(), what));
}

void append_varint_field(uint32_t number, uint64_t value, std::string& message) {
  append_key(number, WireType::varint, message);
  append_varint(value, message);
}

void append_double_field(uint32_t number, double value, std::string& message) {
  append_key(number, WireType::fixed64, message);
  message.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_float_field(uint32_t number, float value, std::string& message) {
  append_key(number, WireType::fixed32, message);
  message.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_bytes_field(uint32_t number, std::string_view value, std::string& message) {
  append_key(number, WireType::bytes, message);
  append_varint(value.size(), message);
  message += value;
}

}  // namespace eatt
