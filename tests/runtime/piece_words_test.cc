#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/api/word_alignment.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class PieceWords : public ::testing::Test {
 protected:
  std::vector<int32_t> of_text(const std::string& text) {
    return words_of_text(text, pieces_.encode(text), pieces_);
  }

  Pieces pieces_{testing::sample_model(), "sample"};
};

TEST_F(PieceWords, WordsAreWhatAsciiWhiteSpaceSeparates) {
  EXPECT_EQ(count_words(" a\tb \x0c c  "), 3u);
  EXPECT_EQ(count_words("a\u00a0b"), 1u);
  EXPECT_EQ(count_words(""), 0u);
}

TEST_F(PieceWords, PiecesOfTextKnowTheirWords) {
  const std::string text = "abc  de f";
  const auto words = of_text(text);
  const auto ids = pieces_.encode(text);
  ASSERT_EQ(words.size(), ids.size());
  int32_t word = -1;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (pieces_.piece(ids[i]).starts_with(kSpaceMark)) ++word;
    EXPECT_EQ(words[i], word);
  }
  EXPECT_EQ(words.back(), 2);
}

TEST_F(PieceWords, WordsThatNormalisationTakesAwayStillCount) {
  // A word of nothing but a control character has no pieces; no-break spaces separate no words.
  EXPECT_EQ(of_text("a \x01 b").back(), 2);
  EXPECT_EQ(of_text("a\u00a0b c").back(), 1);
}

TEST_F(PieceWords, PiecesOfATranslationAreInTheWordsOfItsText) {
  const auto id = [&](const char* piece) {
    const int32_t found = pieces_.id(piece);
    EXPECT_NE(found, kUnknownPiece) << piece;
    return found;
  };
  const int32_t space = id("▁"), a = id("a"), b = id("b");
  // "a b": a piece that is only space belongs to what follows.
  EXPECT_THAT(words_of_pieces(std::vector{a, space, b}, pieces_), ElementsAre(0, 1, 1));
  EXPECT_THAT(words_of_pieces(std::vector{space, a, b}, pieces_), ElementsAre(0, 0, 0));
  EXPECT_THAT(words_of_pieces(std::vector{a, space, space, b, space}, pieces_),
              ElementsAre(0, 1, 1, 1, 1));
  // Decoded as "a ⁇ b".
  EXPECT_THAT(words_of_pieces(std::vector{a, kUnknownPiece, b}, pieces_), ElementsAre(0, 1, 2));
  EXPECT_THAT(words_of_pieces(std::vector{space, space}, pieces_), Each(-1));
}

TEST_F(PieceWords, NumbersOfWordsAgreeWithTheDecodedText) {
  uint64_t state = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<int32_t> ids;
    for (int i = 0; i < 12; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      ids.push_back(
          static_cast<int32_t>(1 + (state >> 33) % static_cast<uint64_t>(pieces_.size() - 1)));
    }
    std::erase_if(ids, [](int32_t id) { return id == kStartPiece || id == kEndPiece; });
    const auto words = words_of_pieces(ids, pieces_);
    int32_t most = -1;
    for (const int32_t word : words) most = std::max(most, word);
    EXPECT_EQ(static_cast<size_t>(most + 1), count_words(pieces_.decode(ids)));
  }
}

}  // namespace
}  // namespace eatt
