#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "text/pieces/pieces.h"
#include "text/pieces/segment.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using testing::sample_model;
using testing::split_lines;

TEST(PieceSampling, NoDropoutGivesTheEncodingBack) {
  const Pieces pieces(sample_model(), "model");
  Random random(1);
  for (const std::string& line :
       split_lines(testing::sample_text(300, 4).target + testing::difficult_text())) {
    const auto ids = pieces.encode(line);
    EXPECT_EQ(pieces.sample(ids, 0, random), ids) << line;
  }
}

TEST(PieceSampling, FullDropoutGivesCharacters) {
  const Pieces pieces(sample_model(), "model");
  Random random(1);
  const auto ids = pieces.sample(pieces.encode("graste dosta"), 1, random);
  EXPECT_EQ(ids.size(), 13u);  // With a space in front.
  for (const int32_t id : ids) {
    const std::string& piece = pieces.piece(id);
    EXPECT_TRUE(piece.size() == 1 || piece == kSpaceMark) << piece;
  }
}

TEST(PieceSampling, EverySampleIsTheSameText) {
  const Pieces pieces(sample_model(), "model");
  for (const std::string& line : split_lines(testing::sample_text(200, 5).target)) {
    Random random(2);
    const auto ids = pieces.sample(pieces.encode(line), 0.3, random);
    EXPECT_EQ(pieces.decode(ids), line);
  }
}

TEST(PieceSampling, TheSeedDecidesAndSeedsDiffer) {
  const Pieces pieces(sample_model(), "model");
  const auto ids =
      pieces.encode(split_lines(testing::sample_text(1).source)[0] + " grasteido kameilo");
  const auto sample = [&](uint64_t seed) {
    Random random(seed);
    return pieces.sample(ids, 0.5, random);
  };
  EXPECT_EQ(sample(1), sample(1));
  EXPECT_NE(sample(1), sample(2));
}

TEST(PieceSampling, MoreDropoutGivesMorePieces) {
  const Pieces pieces(sample_model(), "model");
  size_t best = 0, some = 0, many = 0;
  for (const std::string& line : split_lines(testing::sample_text(300, 6).source)) {
    const auto ids = pieces.encode(line);
    Random random(3);
    best += ids.size();
    some += pieces.sample(ids, 0.1, random).size();
    many += pieces.sample(ids, 0.5, random).size();
  }
  EXPECT_GT(some, best + best / 20);
  EXPECT_GT(many, some + some / 4);
}

TEST(PieceSampling, UnknownPiecesAndMarkersStay) {
  const Pieces pieces(sample_model(), "model");
  Random random(4);
  const std::vector<int32_t> markers = {kStartPiece, kUnknownPiece, kUnknownPiece, kEndPiece};
  EXPECT_EQ(pieces.sample(markers, 0.9, random), markers);
}

}  // namespace
}  // namespace eatt
