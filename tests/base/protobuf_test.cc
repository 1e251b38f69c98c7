#include "base/text/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/random.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace std::string_literals;

void read_all(std::string_view message) {
  for (ProtobufReader field(message); field.next();) {
  }
}

void expect_refused(const std::string& message, const std::string& what) {
  EXPECT_THAT([&] { read_all(message); }, ThrowsMessage<ProtobufError>(HasSubstr(what)));
}

TEST(Protobuf, FieldsComeBackAsTheyWereWritten) {
  std::string message;
  append_varint_field(1, 0, message);
  append_varint_field(2, 300, message);
  append_varint_field(536'870'911, UINT64_MAX, message);
  append_float_field(4, -1.5f, message);
  append_bytes_field(5, "piece", message);
  ProtobufReader field(message);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.varint(), 0u);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.number(), 2u);
  EXPECT_EQ(field.varint(), 300u);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.number(), 536'870'911u);
  EXPECT_EQ(field.varint(), UINT64_MAX);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.type(), WireType::fixed32);
  EXPECT_EQ(field.fixed32_float(), -1.5f);
  ASSERT_TRUE(field.next());
  EXPECT_EQ(field.bytes(), "piece");
  EXPECT_FALSE(field.next());
  EXPECT_FALSE(field.next());
}

TEST(Protobuf, AVarintHasAtMostTenBytesAnd64Bits) {
  const std::string key = "\x08"s;
  ProtobufReader largest("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  ASSERT_TRUE(largest.next());
  EXPECT_EQ(largest.varint(), UINT64_MAX);
  ProtobufReader padded("\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00"s);  // 1 in ten bytes.
  ASSERT_TRUE(padded.next());
  EXPECT_EQ(padded.varint(), 1u);

  const char* const too_long = "a varint has more than 64 bits";
  expect_refused(key + std::string(9, '\xff') + "\x02", too_long);       // A 65th bit.
  expect_refused(key + std::string(9, '\x80') + "\x80\x00"s, too_long);  // Eleven bytes of zeros.
  expect_refused(key + std::string(20, '\xff'), too_long);
  expect_refused(std::string(10, '\xff') + "\x01", too_long);  // In a key.
}

TEST(Protobuf, BrokenMessagesNameTheByte) {
  expect_refused("\x0a", "at byte 1 of 1: expected 1 more bytes, found 0");
  expect_refused("\x0a\x05xyz", "at byte 2 of 5: expected 5 more bytes, found 3");
  expect_refused("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                 "expected 18446744073709551615 more bytes, found 0");
  expect_refused("\x02\x01x", "at byte 0 of 3: found field number 0");
  expect_refused("\x13", "found wire type 3");
  expect_refused("\x80\x80\x80\x80\x10\x01"s, "found field number 536870912");
}

TEST(Protobuf, AFieldOfAnotherTypeIsRefusedWhenItIsRead) {
  ProtobufReader field("\x08\x01");
  ASSERT_TRUE(field.next());
  EXPECT_THAT([&] { field.bytes(); }, ThrowsMessage<ProtobufError>(HasSubstr(
                                          "at byte 0 of 2: field 1 has wire type 0, expected 2")));
  EXPECT_THROW(field.fixed32_float(), ProtobufError);
  EXPECT_EQ(field.varint(), 1u);
}

TEST(Protobuf, RandomBytesAreAMessageOrAnErrorAndNeverMoreThanTheirSize) {
  Random random(5);
  size_t messages = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random.below(24), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    size_t content = 0;
    try {
      for (ProtobufReader field(bytes); field.next();) {
        if (field.type() == WireType::bytes) content += field.bytes().size();
      }
      ++messages;
    } catch (const ProtobufError&) {
    }
    ASSERT_LE(content, bytes.size());
  }
  EXPECT_GT(messages, 100u);
}

}  // namespace
}  // namespace eatt
