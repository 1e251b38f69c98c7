#include "text/pieces/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "base/sha256.h"
#include "support/files.h"
#include "text/pieces/piece_model.h"
#include "text/pieces/piece_trainer.h"
#include "text/sample_text.h"
#include "text/sentencepiece_library.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_model;
using testing::split_lines;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

WordCounts count_words(std::string_view text) {
  WordCounts words;
  for (const std::string& line : split_lines(text)) words.add(line);
  return words;
}

std::string foreign_model(std::unordered_map<std::string, std::string> settings) {
  settings["vocab_size"] = "100";
  return testing::train_with_library(split_lines(testing::sample_text(300).source), settings);
}

TEST(Pieces, TheMarkersHaveTheirIds) {
  const Pieces pieces(sample_model(), "model");
  EXPECT_EQ(pieces.size(), 500);
  EXPECT_EQ(pieces.piece(kPadPiece), "<pad>");
  EXPECT_EQ(pieces.piece(kUnknownPiece), "<unk>");
  EXPECT_EQ(pieces.piece(kStartPiece), "<s>");
  EXPECT_EQ(pieces.piece(kEndPiece), "</s>");
  EXPECT_EQ(pieces.id("</s>"), kEndPiece);
  EXPECT_EQ(pieces.id("no such piece"), kUnknownPiece);
}

TEST(Pieces, TheDigestIsThatOfTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("joint.spm", sample_model());
  EXPECT_EQ(Pieces(file).sha256(), sha256_hex(sample_model()));
}

TEST(Pieces, DecodingGivesTheTextBack) {
  const Pieces pieces(sample_model(), "model");
  for (const std::string& line : split_lines(testing::sample_text(200, 7).target)) {
    EXPECT_EQ(pieces.decode(pieces.encode(line)), line);
  }
  EXPECT_EQ(pieces.decode(pieces.encode("中文 句子")), "中文 句子");
}

TEST(Pieces, DecodingDropsMarkersAndShowsUnknownPieces) {
  const Pieces pieces(sample_model(), "model");
  std::vector<int32_t> ids = pieces.encode("a dog");
  ids.insert(ids.begin(), kStartPiece);
  ids.insert(ids.end(), {kEndPiece, kPadPiece, kPadPiece});
  EXPECT_EQ(pieces.decode(ids), "a dog");
  EXPECT_EQ(pieces.decode(std::vector<int32_t>{kUnknownPiece}), " ⁇ ");
  EXPECT_EQ(pieces.decode({}), "");
}

TEST(Pieces, AnIdOutsideTheVocabularyIsRefused) {
  const Pieces pieces(sample_model(), "model");
  for (const int32_t id : {-1, 500}) {
    EXPECT_THAT(
        [&] { pieces.decode(std::vector<int32_t>{id}); },
        ThrowsMessage<Error>(AllOf(HasSubstr(std::to_string(id)), HasSubstr("500 pieces"))));
  }
}

TEST(Pieces, RealTextSurvivesTheRoundTrip) {
  for (const auto& [set, files] : std::map<std::string, std::vector<std::string>>{
           {"multi30k-en-de", {"val.en", "val.de"}},
           {"iwslt15-en-vi", {"tst2012.en", "tst2012.vi"}}}) {
    const auto folder = testing::shared_data(set);
    if (!folder) GTEST_SKIP() << "needs ../shared/data/" << set;
    std::string text;
    for (const std::string& file : files) text += testing::read_text(*folder / file);
    const Pieces pieces(train_pieces(count_words(text), {.vocab_size = 2000}), set);
    int changed = 0, lines = 0;
    for (const std::string& line : split_lines(text)) {
      const std::string decoded = pieces.decode(pieces.encode(line));
      // Normalisation changes a text once; after that it stays.
      EXPECT_EQ(pieces.decode(pieces.encode(decoded)), decoded);
      EXPECT_EQ(std::ranges::count(pieces.encode(line), kUnknownPiece), 0) << line;
      changed += decoded != line;
      ++lines;
    }
    EXPECT_LT(changed, lines / 10) << set;  // Double spaces, full-width signs and the like.
  }
}

TEST(Pieces, WhatIsNoModelIsRefusedByName) {
  const TemporaryFolder folder;
  const auto refusal = [&](std::string_view bytes) {
    try {
      Pieces{folder.write("wrong.spm", bytes)};
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("wrong.spm"), HasSubstr("it is empty")));
  EXPECT_THAT(refusal("just some text\n"), HasSubstr("not a valid SentencePiece model"));
  EXPECT_THAT(refusal(testing::gzip("text")), HasSubstr("not a valid SentencePiece model"));
  EXPECT_THAT(refusal(std::string(1000, '\0')), HasSubstr("not a valid SentencePiece model"));
  EXPECT_THAT([] { Pieces{std::filesystem::path("/nonexistent.spm")}; },
              ThrowsMessage<Error>(HasSubstr("/nonexistent.spm")));
}

TEST(Pieces, AModelCutOffAnywhereIsRefused) {
  const std::string& model = sample_model();
  for (size_t size = 0; size + 1 < model.size(); size += 1 + size / 7) {
    EXPECT_THROW(Pieces(model.substr(0, size), "cut.spm"), Error) << size;
  }
}

TEST(Pieces, DamagedModelsAreRefusedOrWorkButNeverCrash) {
  Random random(5);
  const std::string text = testing::difficult_text();
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::string model = sample_model();
    for (int i = 0; i < 3; ++i)
      model[random.below(model.size())] = static_cast<char>(random.next());
    try {
      const Pieces pieces(model, "damaged.spm");
      for (const std::string& line : split_lines(text)) pieces.decode(pieces.encode(line));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

// Every lookup starts at the children of the root, so a root without children would be read past
// the end of the table.
TEST(Pieces, ATableOfRulesWhoseRootIsALeafIsRefused) {
  std::string model = sample_model();
  const std::string begin("\x00\xb4\x02\x00\x00\x84\x00\x00", 8);  // Size of the trie, its root.
  const size_t at = model.find(begin);
  ASSERT_NE(at, std::string::npos);
  model.replace(at + 4, 4, "\xff\xff\xff\xff");
  EXPECT_THROW(Pieces(model, "root.spm"), Error);
}

TEST(Pieces, ModelsWithOtherIdsAreRefused) {
  EXPECT_THAT(
      [] {
        Pieces(foreign_model({{"model_type", "bpe"},
                              {"unk_id", "0"},
                              {"bos_id", "1"},
                              {"eos_id", "2"},
                              {"pad_id", "-1"}}),
               "ids.spm");
      },
      ThrowsMessage<Error>(
          AllOf(HasSubstr("piece 0 is <unk>, expected <pad>"), HasSubstr("--pad_id=0"))));
}

TEST(Pieces, UnigramModelsAreNeitherCachedByWordNorSampled) {
  const Pieces pieces(foreign_model({{"model_type", "unigram"}}), "uni.spm");
  EXPECT_FALSE(pieces.encodes_word_by_word());
  Random random(1);
  EXPECT_THAT([&] { pieces.sample(pieces.encode("a dog"), 0.1, random); },
              ThrowsMessage<Error>(HasSubstr("only BPE models can be sampled")));
}

TEST(PieceTraining, TheSameWordsGiveTheSameBytes) {
  const std::string text = testing::sample_text(300).source;
  EXPECT_EQ(train_pieces(count_words(text), {.vocab_size = 200}),
            train_pieces(count_words(text), {.vocab_size = 200}));
}

TEST(PieceTraining, PiecesAreNearlyThoseOfTheLibrarysOwnTrainer) {
  const Pieces theirs(foreign_model({{"model_type", "bpe"}, {"character_coverage", "1"}}),
                      "theirs");
  const Pieces ours(
      train_pieces(count_words(testing::sample_text(300).source), {.vocab_size = 100}), "ours");
  ASSERT_EQ(ours.size(), theirs.size());
  int common = 0;
  for (int32_t id = 0; id < ours.size(); ++id) common += theirs.id(ours.piece(id)) != kUnknownPiece;
  EXPECT_GE(common, 93);  // <unk> itself is not counted; ties make the rest.
}

TEST(PieceTraining, ATooLargeVocabularySaysWhatTheTextSupports) {
  std::string message;
  try {
    train_pieces(count_words("the dog\nthe cat\n"), {.vocab_size = 1000});
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_THAT(message, AllOf(HasSubstr("no more than"), HasSubstr("--vocab-size is 1000")));
  // What it proposes works.
  const int proposed = std::stoi(message.substr(message.find("try --vocab-size ") + 17));
  EXPECT_EQ(
      Pieces(train_pieces(count_words("the dog\nthe cat\n"), {.vocab_size = proposed}), "m").size(),
      proposed);
}

TEST(PieceTraining, TooManyCharactersForTheVocabularySayHowManyThereAre) {
  EXPECT_THAT(
      [] { train_pieces(count_words("abcdefghijklmnopqrstuvwxyz"), {.vocab_size = 20}); },
      ThrowsMessage<Error>(AllOf(HasSubstr("27 different characters"), HasSubstr("4 markers"),
                                 HasSubstr("--vocab-size 20"), HasSubstr("--character-coverage"))));
}

TEST(PieceTraining, OptionsOutOfRangeAreWrongUsage) {
  const WordCounts words = count_words("a b c");
  EXPECT_THROW(train_pieces(words, {.vocab_size = 3}), UsageError);
  EXPECT_THROW(train_pieces(words, {.vocab_size = 100, .character_coverage = 0.5}), UsageError);
  EXPECT_THROW(train_pieces(words, {.vocab_size = 100, .character_coverage = 1.5}), UsageError);
  EXPECT_THAT([] { train_pieces(WordCounts(), {}); }, ThrowsMessage<Error>(HasSubstr("no text")));
}

TEST(PieceTraining, CoverageIsFullExceptForScriptsOfManyCharacters) {
  EXPECT_EQ(choose_character_coverage(count_words("ein Hund läuft über Gras, 一 Zeichen")), 1.0);
  EXPECT_EQ(choose_character_coverage(count_words("một con chó chạy trên cỏ")), 1.0);
  EXPECT_EQ(choose_character_coverage(count_words("一只狗在草地上跑")), 0.9995);
  EXPECT_EQ(choose_character_coverage(count_words("개가 잔디 위를 달린다")), 0.9995);
  EXPECT_EQ(choose_character_coverage(count_words("a dog runs 一只狗在草地上跑")), 0.9995);
}

TEST(PieceTraining, WithFullCoverageNoCharacterOfTheTextIsUnknown) {
  // The last word is dropped for its rarity, its characters are not.
  std::string text;
  for (int i = 0; i < 50; ++i) text += "banana bandana\n";
  text += "ß\n";
  const Pieces pieces(train_pieces(count_words(text), {.vocab_size = 14, .max_characters = 20}),
                      "m");
  EXPECT_NE(pieces.id("ß"), kUnknownPiece);
}

TEST(PieceTraining, ByteFallbackLeavesNothingUnknown) {
  const std::string text = testing::sample_text(300).source;
  const Pieces with(train_pieces(count_words(text), {.vocab_size = 400, .byte_fallback = true}),
                    "m");
  const Pieces without(train_pieces(count_words(text), {.vocab_size = 400}), "m");
  const std::string line = "0 龘 😀";
  EXPECT_EQ(std::ranges::count(with.encode(line), kUnknownPiece), 0);
  EXPECT_EQ(with.decode(with.encode(line)), line);
  EXPECT_EQ(std::ranges::count(without.encode(line), kUnknownPiece), 2);
}

}  // namespace
}  // namespace eatt
