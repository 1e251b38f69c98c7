#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/threads.h"
#include "support/files.h"
#include "text/pieces/piece_encoder.h"
#include "text/pieces/piece_trainer.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::split_lines;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

class LinePieces : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(0); }

  std::string encode(std::string_view text, const EncodeLinesOptions& options = {}) const {
    std::string out;
    encode_lines(pieces_, folder_.write("in", text).string(), options,
                 [&](std::string_view block) { out += block; });
    return out;
  }
  std::string decode(std::string_view text, PieceFormat format) const {
    std::string out;
    decode_lines(pieces_, folder_.write("in", text).string(), format,
                 [&](std::string_view block) { out += block; });
    return out;
  }

  TemporaryFolder folder_;
  Pieces pieces_{testing::sample_model(), "model"};
};

TEST_F(LinePieces, ThereIsALineForEachLine) {
  EXPECT_EQ(split_lines(encode("a dog\n\n  \n中文\n")).size(), 4u);
  EXPECT_EQ(split_lines(encode("a dog\n\n  \n中文\n"))[1], "");
  EXPECT_EQ(encode(""), "");
}

TEST_F(LinePieces, PiecesAndIdsDecodeToTheText) {
  const std::string text = testing::sample_text(500, 8).target;
  EXPECT_EQ(decode(encode(text), PieceFormat::piece), text);
  EXPECT_EQ(decode(encode(text, {.format = PieceFormat::id}), PieceFormat::id), text);
}

TEST_F(LinePieces, TheNumberOfThreadsMakesNoDifference) {
  const std::string text = testing::sample_text(30'000, 8).source;  // Several chunks.
  set_thread_count(1);
  const std::string one = encode(text), one_sampled = encode(text, {.dropout = 0.2, .seed = 5});
  set_thread_count(5);
  EXPECT_EQ(encode(text), one);
  EXPECT_EQ(encode(text, {.dropout = 0.2, .seed = 5}), one_sampled);
  EXPECT_NE(one_sampled, one);
  EXPECT_NE(encode(text, {.dropout = 0.2, .seed = 6}), one_sampled);
}

TEST_F(LinePieces, BadTextIsAnErrorWithItsLine) {
  EXPECT_THAT(
      [&] {
        encode(
            "fine\nb\xff"
            "d\n");
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("line 2"), HasSubstr("invalid UTF-8"))));
  EXPECT_THAT([&] { encode(std::string("a\0b\n", 4)); },
              ThrowsMessage<Error>(AllOf(HasSubstr("line 1"), HasSubstr("NUL"))));
  EXPECT_THAT([&] { encode("x\n" + std::string(2 << 20, 'x') + "\n"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("line 2"), HasSubstr("2097152 bytes"))));
}

TEST_F(LinePieces, TheFirstBadLineIsReportedOnAnyNumberOfThreads) {
  std::string text = testing::sample_text(60'000, 8).source;
  text.insert(text.find("\n40000 "), "\xff");
  text.insert(text.find("\n50000 "), "\xff");
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    EXPECT_THAT([&] { encode(text); }, ThrowsMessage<Error>(HasSubstr("line 40000 ")));
  }
}

TEST_F(LinePieces, WhatIsNoIdIsAnErrorWithItsLine) {
  for (const char* bad : {"500", "-1", "12x", "▁a", "99999999999"}) {
    EXPECT_THAT([&] { decode(std::string("5 6\n7 ") + bad + "\n", PieceFormat::id); },
                ThrowsMessage<Error>(
                    AllOf(HasSubstr("line 2"), HasSubstr(bad), HasSubstr("from 0 to 499"))));
  }
}

TEST(LearnPieces, TheSampleDependsOnTheSeedAlone) {
  const TemporaryFolder folder;
  const TextFile file = folder.write("text", testing::sample_text(3000).source).string();
  const auto learn = [&](uint64_t seed, uint64_t size) {
    LearnPiecesOptions options;
    options.sample_size = size;
    options.seed = seed;
    options.training.vocab_size = 150;
    return learn_pieces({file}, options, folder.path());
  };
  EXPECT_EQ(learn(1, 200), learn(1, 200));
  EXPECT_NE(learn(1, 200), learn(2, 200));
  EXPECT_EQ(learn(1, 3000), learn(2, 5000)) << "all lines, whatever the seed";
}

TEST(LearnPieces, BadLinesAreLeftOut) {
  const TemporaryFolder folder;
  const std::string good = testing::sample_text(500).source;
  const TextFile clean = folder.write("clean", good).string();
  const TextFile dirty =
      folder.write("dirty", "\xff\xfe\n" + good + std::string("n\0l\n", 4)).string();
  LearnPiecesOptions options;
  options.training.vocab_size = 150;
  EXPECT_EQ(learn_pieces({clean}, options, folder.path()),
            learn_pieces({dirty}, options, folder.path()));
}

}  // namespace
}  // namespace eatt
