#include "text/pieces/piece_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/files.h"
#include "text/pieces/piece_sampler.h"
#include "text/pieces/piece_trainer.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::Each;
using testing::sample_model;
using testing::split_lines;

void expect_like_the_library(const Pieces& pieces, std::string_view text) {
  const EncodingTables tables(pieces);
  PieceEncoder encoder(tables);
  std::vector<int32_t> ids;
  for (int round = 0; round < 2; ++round) {  // The second time from the cache.
    for (const std::string& line : split_lines(text)) {
      ids.clear();
      encoder.append(line, ids);
      EXPECT_EQ(ids, pieces.encode(line)) << line;
    }
  }
}

WordCounts count_words(std::string_view text) {
  WordCounts words;
  for (const std::string& line : split_lines(text)) words.add(line);
  return words;
}

TEST(PieceEncoder, EncodesLikeTheLibrary) {
  const Pieces pieces(sample_model(), "model");
  ASSERT_TRUE(pieces.encodes_word_by_word());
  expect_like_the_library(pieces, testing::sample_text(1000, 3).source);
  expect_like_the_library(pieces, testing::sample_text(1000, 3).target);
}

TEST(PieceEncoder, EncodesDifficultTextLikeTheLibrary) {
  expect_like_the_library(Pieces(sample_model(), "model"), testing::difficult_text());
  // And with a vocabulary that knows its characters.
  std::string text;
  for (int i = 0; i < 5; ++i) text += testing::difficult_text();
  for (const bool byte_fallback : {false, true}) {
    const std::string model =
        train_pieces(count_words(text), {.vocab_size = byte_fallback ? 580 : 330,
                                         .character_coverage = 1,
                                         .byte_fallback = byte_fallback});
    expect_like_the_library(Pieces(model, "model"), text);
  }
}

TEST(PieceEncoder, InvalidUtf8IsEncodedLikeTheLibraryDoes) {
  const Pieces pieces(sample_model(), "model");
  expect_like_the_library(pieces,
                          "a \xff"
                          "dog\ncut \xe4\xb8\nb\xc3 g\n");
}

TEST(PieceEncoder, RandomTextIsEncodedLikeTheLibraryDoes) {
  const Pieces pieces(sample_model(), "model");
  const std::vector<std::string> parts = {
      "a",  "b",  "e", "i", "st",     "ei", " ",      " ",  " ", "ä", "\xcc\x88",
      "中", "，", "▁", ".", "\u3000", "Ａ", "\u200b", "ff", "9", "ﬀ", "😀"};
  Random random(9);
  std::string text;
  for (int line = 0; line < 3000; ++line) {
    for (uint64_t left = random.below(20); left > 0; --left)
      text += parts[random.below(parts.size())];
    text += '\n';
  }
  expect_like_the_library(pieces, text);
}

TEST(PieceEncoder, RealTextIsEncodedLikeTheLibraryDoes) {
  const auto english = testing::shared_data("multi30k-en-de");
  const auto chinese = testing::shared_data("3am-zh-en");
  if (!english || !chinese) GTEST_SKIP() << "needs ../shared/data";
  const std::string text = testing::read_text(*english / "val.de") +
                           testing::read_text(*chinese / "3am.val.zh") +
                           testing::read_text(*chinese / "3am.val.en");
  const Pieces pieces(train_pieces(count_words(text), {.vocab_size = 6000}), "model");
  expect_like_the_library(pieces, text);
}

TEST(PieceSampling, NoDropoutGivesTheEncodingBack) {
  const Pieces pieces(sample_model(), "model");
  const PieceMerger merger(pieces);
  Random random(1);
  for (const std::string& line :
       split_lines(testing::sample_text(300, 4).target + testing::difficult_text())) {
    const auto ids = pieces.encode(line);
    EXPECT_EQ(sample_pieces(merger, ids, 0, random), ids) << line;
  }
}

TEST(PieceSampling, FullDropoutGivesCharacters) {
  const Pieces pieces(sample_model(), "model");
  const PieceMerger merger(pieces);
  Random random(1);
  const auto ids = sample_pieces(merger, pieces.encode("graste dosta"), 1, random);
  EXPECT_EQ(ids.size(), 13u);  // With a space in front.
  for (const int32_t id : ids) {
    const std::string& piece = pieces.piece(id);
    EXPECT_TRUE(piece.size() == 1 || piece == kSpaceMark) << piece;
  }
}

TEST(PieceSampling, EverySampleIsTheSameText) {
  const Pieces pieces(sample_model(), "model");
  const PieceMerger merger(pieces);
  for (const std::string& line : split_lines(testing::sample_text(200, 5).target)) {
    Random random(2);
    const auto ids = sample_pieces(merger, pieces.encode(line), 0.3, random);
    EXPECT_EQ(pieces.decode(ids), line);
  }
}

TEST(PieceSampling, TheSeedDecidesAndSeedsDiffer) {
  const Pieces pieces(sample_model(), "model");
  const PieceMerger merger(pieces);
  const auto ids =
      pieces.encode(split_lines(testing::sample_text(1).source)[0] + " grasteido kameilo");
  const auto sample = [&](uint64_t seed) {
    Random random(seed);
    return sample_pieces(merger, ids, 0.5, random);
  };
  EXPECT_EQ(sample(1), sample(1));
  EXPECT_NE(sample(1), sample(2));
}

TEST(PieceSampling, MoreDropoutGivesMorePieces) {
  const Pieces pieces(sample_model(), "model");
  const PieceMerger merger(pieces);
  size_t best = 0, some = 0, many = 0;
  for (const std::string& line : split_lines(testing::sample_text(300, 6).source)) {
    const auto ids = pieces.encode(line);
    Random random(3);
    best += ids.size();
    some += sample_pieces(merger, ids, 0.1, random).size();
    many += sample_pieces(merger, ids, 0.5, random).size();
  }
  EXPECT_GT(some, best + best / 20);
  EXPECT_GT(many, some + some / 4);
}

TEST(PieceSampling, UnknownPiecesAndMarkersStay) {
  const Pieces pieces(sample_model(), "model");
  const PieceMerger merger(pieces);
  Random random(4);
  const std::vector<int32_t> markers = {kStartPiece, kUnknownPiece, kUnknownPiece, kEndPiece};
  EXPECT_EQ(sample_pieces(merger, markers, 0.9, random), markers);
}

}  // namespace
}  // namespace eatt
