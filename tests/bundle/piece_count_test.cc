#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <string>

#include "base/error.h"
#include "bundle/bundle_checks.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using namespace std::string_literals;

size_t count(const std::string& bytes) {
  return count_pieces(std::as_bytes(std::span(bytes)), "a.spm");
}

void expect_refused(const std::string& bytes, const std::string& what) {
  EXPECT_THAT([&] { count(bytes); },
              ThrowsMessage<Error>(
                  AllOf(StartsWith("a.spm: "), HasSubstr(what), HasSubstr("copy the file again"))));
}

TEST(CountPieces, AgreesWithSentencePieceOnAModelItTrained) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "the quick brown fox " + std::to_string(i * i) + "\n";
  const testing::TemporaryFolder folder;
  const auto input = folder.write("text", text);
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      "--minloglevel=2 --model_type=bpe --vocab_size=60 --input=" + input.string() +
      " --model_prefix=" + (folder / "model").string());
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::string bytes = testing::read_text(folder / "model.model");
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(bytes).ok());
  EXPECT_EQ(count(bytes), static_cast<size_t>(processor.GetPieceSize()));
}

TEST(CountPieces, TheTestsOwnModelsLoadInSentencePieceToo) {
  for (const int pieces : {5, 40, 1000}) {
    const std::string bytes = testing::piece_model(pieces);
    EXPECT_EQ(count(bytes), static_cast<size_t>(pieces));
    sentencepiece::SentencePieceProcessor processor;
    const auto status = processor.LoadFromSerializedProto(bytes);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(processor.GetPieceSize(), pieces);
    EXPECT_EQ(processor.eos_id(), 3);
  }
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(testing::piece_model(60)).ok());
  std::string back;
  ASSERT_TRUE(processor.Decode(processor.EncodeAsIds("hello world"), &back).ok());
  EXPECT_EQ(back, "hello world");
}

TEST(CountPieces, StepsOverFieldsOfEveryType) {
  // Field 2 varint, field 3 of 8 bytes, field 4 of 4 bytes, field 200 delimited, then a piece.
  EXPECT_EQ(count("\x10\x96\x01"
                  "\x19"
                  "12345678"
                  "\x25"
                  "1234"
                  "\xc2\x0c\x02xy"
                  "\x0a\x03"
                  "abc"s),
            1u);
}

TEST(CountPieces, NoPieceIsNoModel) {
  expect_refused("", "has no pieces in its 0 bytes");
  expect_refused("\x10\x01"s, "has no pieces in its 2 bytes");
}

TEST(CountPieces, RefusesWhatIsNoMessage) {
  expect_refused("\x0a", "at byte 1 of 1: expected 1 more bytes, found 0");
  expect_refused("\x0a\x05xyz"s, "at byte 2 of 5: expected 5 more bytes, found 3");
  expect_refused("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,
                 "expected 18446744073709551615 more bytes, found 0");
  expect_refused("\x0a"s + std::string(10, '\xff') + "\x01",
                 "at byte 1 of 12: a varint has more than 64 bits");
  expect_refused("\x0a"s + std::string(9, '\xff') + "\x02",
                 "at byte 1 of 11: a varint has more than 64 bits");
  expect_refused("\x02\x01x"s, "at byte 0 of 3: found field number 0, expected 1 to 536870911");
  expect_refused("\x08\x01"s, "at byte 0 of 2: field 1 has wire type 0, expected 2");
  expect_refused("\x13"s, "found wire type 3, expected 0, 1, 2 or 5");  // Start of a group.
  expect_refused("\x19"s + "1234567", "expected 8 more bytes, found 7");
  expect_refused("\x25"s + "123", "expected 4 more bytes, found 3");
}

}  // namespace
}  // namespace eatt
