#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace eatt {

// The wire format of protocol buffers, read and written without the protobuf library: SentencePiece
// models are such messages. A message is a sequence of fields; a field is a key (its number and its
// wire type, as a varint) and a value.

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// What is wrong with a message and where: "at byte 12 of 40: a varint has more than 64 bits".
// Callers put the name of the file in front.
class ProtobufError : public Error {
 public:
  using Error::Error;
};

// Reads the fields of one message, one after another:
//   ProtobufReader field(message);
//   while (field.next()) {
//     if (field.number() == 1) pieces.push_back(parse_piece(field.bytes()));
//   }
// A view: the message must outlive it. Throws a ProtobufError for anything that is not a message. A
// varint has at most ten bytes and 64 bits; a longer one is an error, however many of its bits are
// zero.
class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : message_(message) {}

  // Goes to the next field; false at the end of the message.
  bool next();

  uint32_t number() const { return number_; }
  WireType type() const { return type_; }

  // The value of the field. Throws a ProtobufError if the field has another wire type.
  uint64_t varint() const;
  float fixed32_float() const;
  std::string_view bytes() const;  // A string, or a message inside this one.

 private:
  uint64_t take_varint();
  std::string_view take(uint64_t size);
  void expect_type(WireType type) const;
  [[noreturn]] void fail(size_t at, std::string_view what) const;

  std::string_view message_;
  size_t at_ = 0;     // The byte after the current field.
  size_t start_ = 0;  // The first byte of the current field.
  uint32_t number_ = 0;
  WireType type_ = WireType::varint;
  uint64_t varint_ = 0;
  std::string_view bytes_;  // Of every type but varint.
};

// Append a field to a message.
void append_varint_field(uint32_t number, uint64_t value, std::string& message);
void append_float_field(uint32_t number, float value, std::string& message);
void append_double_field(uint32_t number, double value, std::string& message);
void append_bytes_field(uint32_t number, std::string_view value, std::string& message);

}  // namespace eatt
