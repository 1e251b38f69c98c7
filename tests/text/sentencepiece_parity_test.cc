// Our encoder and decoder give what the SentencePiece library gives, for every type of model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "base/random.h"
#include "support/files.h"
#include "text/pieces/piece_encoder.h"
#include "text/pieces/piece_trainer.h"
#include "text/pieces/pieces.h"
#include "text/sample_text.h"
#include "text/sentencepiece_library.h"

namespace eatt {
namespace {

using testing::SentencePieceLibrary;
using testing::split_lines;
using testing::train_with_library;

using Settings = std::unordered_map<std::string, std::string>;

std::vector<std::string> training_lines() {
  return split_lines(testing::sample_text(1500).target + testing::difficult_text());
}

// All bytes and all lengths, invalid UTF-8 included.
std::vector<std::string> random_bytes(uint64_t seed) {
  Random random(seed);
  std::vector<std::string> lines;
  for (int i = 0; i < 400; ++i) {
    std::string line;
    const uint64_t range = i % 2 == 0 ? 256 : 64;
    for (uint64_t left = random.below(60); left > 0; --left) {
      line += static_cast<char>(random.below(range) + (range == 64 ? 0xa0 : 0));
    }
    lines.push_back(line);
  }
  return lines;
}

// Known words, odd characters, spaces and broken characters in any order.
std::vector<std::string> random_mixtures(uint64_t seed) {
  const std::vector<std::string> parts = {"a",
                                          "b",
                                          "e",
                                          "i",
                                          "st",
                                          "ei",
                                          "gra",
                                          " ",
                                          " ",
                                          " ",
                                          "  ",
                                          "ä",
                                          "\u0308",
                                          "中",
                                          "，",
                                          "▁",
                                          ".",
                                          "\u3000",
                                          "Ａ",
                                          "\u200b",
                                          "ff",
                                          "9",
                                          "ﬀ",
                                          "😀",
                                          "ß",
                                          "ẞ",
                                          "\xff",
                                          "\xe4",
                                          "\xe4\xb8",
                                          "\x01",
                                          "\t",
                                          "<s>",
                                          "<0x41>",
                                          "</s>",
                                          "<unk>",
                                          "[SEP]",
                                          "<x>",
                                          "<x",
                                          "ЖЖ",
                                          "İ",
                                          "ǅ",
                                          "\u0345",
                                          "\u1100\u1161",
                                          "\u00a0"};
  Random random(seed);
  std::vector<std::string> lines;
  for (int i = 0; i < 1500; ++i) {
    std::string line;
    for (uint64_t left = random.below(25); left > 0; --left) {
      line += parts[random.below(parts.size())];
    }
    lines.push_back(line);
  }
  return lines;
}

void expect_parity(const std::string& model, const std::vector<std::string>& lines) {
  const Pieces pieces(model, "model");
  const Pieces prepared(model, "model");
  prepared.prepare_for_corpus();
  const SentencePieceLibrary library(model);
  PieceEncoder encoder(prepared);
  std::vector<int32_t> ids;
  for (int round = 0; round < 2; ++round) {  // The second time from the encoder's cache.
    for (const std::string& line : lines) {
      const auto expected = library.encode(line);
      ids.clear();
      encoder.append(line, ids);
      ASSERT_EQ(ids, expected) << ::testing::PrintToString(line);
      if (round > 0) continue;
      ASSERT_EQ(pieces.encode(line), expected) << ::testing::PrintToString(line);
      ASSERT_EQ(prepared.encode(line), expected) << ::testing::PrintToString(line);
      ASSERT_EQ(pieces.decode(expected), library.decode(expected)) << line;
    }
  }
}

void expect_decoding_parity(const std::string& model) {
  const Pieces pieces(model, "model");
  const SentencePieceLibrary library(model);
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    std::vector<int32_t> ids;
    std::vector<std::string_view> texts;
    for (uint64_t left = random.below(12); left > 0; --left) {
      // Often the first ones: markers and bytes.
      const auto size = static_cast<uint64_t>(pieces.size());
      ids.push_back(static_cast<int32_t>(random.below(random.chance(0.5) ? size : size / 4)));
      texts.push_back(random.chance(0.8) ? std::string_view(pieces.piece(ids.back())) : "▁▁none▁");
    }
    ASSERT_EQ(pieces.decode(ids), library.decode(ids)) << ::testing::PrintToString(ids);
    ASSERT_EQ(pieces.decode_pieces(texts), library.decode(texts));
  }
}

class ModelType : public ::testing::TestWithParam<Settings> {};

TEST_P(ModelType, EncodesAndDecodesLikeTheLibrary) {
  const std::string model = train_with_library(training_lines(), GetParam());
  expect_parity(model, training_lines());
  expect_parity(model, split_lines(testing::sample_text(500, 3).source));
  expect_parity(model, random_bytes(1));
  expect_parity(model, random_mixtures(2));
  expect_decoding_parity(model);
}

std::vector<Settings> all_settings() {
  std::vector<Settings> all;
  for (const char* type : {"bpe", "unigram"}) {
    for (const char* rule : {"nmt_nfkc", "nmt_nfkc_cf", "identity"}) {
      for (const char* bytes : {"false", "true"}) {
        all.push_back({{"model_type", type},
                       {"vocab_size", "700"},
                       {"normalization_rule_name", rule},
                       {"byte_fallback", bytes}});
      }
    }
    const auto add = [&](Settings settings) {
      settings.insert({{"model_type", type}, {"vocab_size", "500"}});
      all.push_back(std::move(settings));
    };
    add({{"user_defined_symbols", "[SEP],<x>,▁gra,st"}, {"control_symbols", "<0>,<x"}});
    add({{"add_dummy_prefix", "false"}});
    add({{"remove_extra_whitespaces", "false"}});
    add({{"remove_extra_whitespaces", "false"}, {"add_dummy_prefix", "false"}});
    add({{"treat_whitespace_as_suffix", "true"}});
    add({{"treat_whitespace_as_suffix", "true"}, {"remove_extra_whitespaces", "false"}});
    add({{"split_by_whitespace", "false"}, {"unk_surface", "(?)"}});
    add({{"allow_whitespace_only_pieces", "true"}, {"remove_extra_whitespaces", "false"}});
    add({{"character_coverage", "0.98"}, {"split_by_unicode_script", "false"}});
  }
  for (const char* type : {"word", "char"}) {
    all.push_back({{"model_type", type}, {"vocab_size", "300"}});
    all.push_back(
        {{"model_type", type}, {"vocab_size", "300"}, {"user_defined_symbols", "<x>,st"}});
    all.push_back({{"model_type", type}, {"vocab_size", "600"}, {"byte_fallback", "true"}});
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Settings>& info) {
  std::vector<std::pair<std::string, std::string>> sorted(info.param.begin(), info.param.end());
  std::ranges::sort(sorted);
  std::string name = std::to_string(info.index);
  for (const auto& [key, value] : sorted) {
    if (key == "vocab_size") continue;
    name += "_" + (value == "true" || value == "false" ? key + "_" + value : value);
  }
  std::erase_if(name,
                [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(SentencePieceParity, ModelType, ::testing::ValuesIn(all_settings()),
                         name_of);

TEST(SentencePieceParity, OurOwnModelsAreEncodedLikeTheLibraryDoes) {
  const std::string& model = testing::sample_model();
  ASSERT_TRUE(Pieces(model, "model").encodes_word_by_word());
  expect_parity(model, training_lines());
  expect_parity(model, random_bytes(4));
  expect_parity(model, random_mixtures(5));
  expect_decoding_parity(model);
  WordCounts words;
  for (int i = 0; i < 5; ++i) {  // A vocabulary that knows the difficult characters.
    for (const std::string& line : split_lines(testing::difficult_text())) words.add(line);
  }
  for (const bool byte_fallback : {false, true}) {
    const std::string trained = train_pieces(words, {.vocab_size = byte_fallback ? 580 : 330,
                                                     .character_coverage = 1,
                                                     .byte_fallback = byte_fallback});
    expect_parity(trained, training_lines());
    expect_parity(trained, random_mixtures(6));
  }
}

// Real text of several scripts, in models of several thousand pieces.
TEST(SentencePieceParity, RealTextIsEncodedLikeTheLibraryDoes) {
  std::vector<std::string> lines;
  for (const auto& [set, file] :
       std::vector<std::pair<std::string, std::string>>{{"multi30k-en-de", "val.de"},
                                                        {"3am-zh-en", "3am.val.zh"},
                                                        {"iwslt15-en-vi", "tst2012.vi"}}) {
    const auto folder = testing::shared_data(set);
    if (!folder) GTEST_SKIP() << "needs ../shared/data/" << set;
    for (std::string& line : split_lines(testing::read_text(*folder / file))) {
      lines.push_back(std::move(line));
    }
  }
  const std::vector<std::string> sample(lines.begin(), lines.begin() + 1500);
  for (const char* type : {"bpe", "unigram"}) {
    expect_parity(train_with_library(lines, {{"model_type", type}, {"vocab_size", "5000"}}), lines);
  }
}

// A piece that is not to be used, as SentencePiece's vocabulary restriction leaves behind.
TEST(SentencePieceParity, UnusedPiecesAreTakenApartLikeTheLibraryDoes) {
  for (const char* type : {"bpe", "unigram"}) {
    std::string model =
        train_with_library(training_lines(), {{"model_type", type}, {"vocab_size", "600"}});
    const Pieces pieces(model, "model");
    size_t changed = 0;
    for (int32_t id = 4; id < pieces.size(); id += 3) {
      // Type 5 as another field of the piece's message would move all bytes; a score of 4 bytes and
      // no type is the usual message, so we write the message again.
      const std::string& text = pieces.piece(id);
      const std::string head = {'\x0a', static_cast<char>(text.size())};
      const size_t at = model.find(head + text + '\x15');
      if (at == std::string::npos || at == 0 || text.size() > 100) continue;
      model[at - 1] = static_cast<char>(model[at - 1] + 2);
      model.insert(at + head.size() + text.size() + 5, "\x18\x05");
      ++changed;
    }
    ASSERT_GT(changed, 100u);
    expect_parity(model, training_lines());
    expect_parity(model, random_mixtures(7));
  }
}

// Some letters are unknown by themselves but part of longer pieces, as in vocabularies that were
// cut down by hand. Two symbols are merged if together they read like a piece, so such pieces are
// still found.
TEST(SentencePieceParity, PiecesOfUnknownCharactersAreMergedLikeTheLibraryDoes) {
  std::string model =
      train_with_library(training_lines(), {{"model_type", "bpe"}, {"vocab_size", "600"}});
  char replacement = '\x01';
  for (const char letter : {'a', 'e', 's', 't'}) {
    const size_t at = model.find(std::string("\x0a\x01") + letter + '\x15');
    ASSERT_NE(at, std::string::npos) << letter;
    model[at + 2] = replacement++;
  }
  const Pieces pieces(model, "model");
  ASSERT_EQ(pieces.id("e"), kUnknownPiece);
  ASSERT_NE(pieces.id("st"), kUnknownPiece);
  expect_parity(model, training_lines());
  expect_parity(model, random_mixtures(8));
}

TEST(SentencePieceParity, AnEncoderGivesTheSameIdsBeforeAndAfterItPreparesForACorpus) {
  const Pieces pieces(testing::sample_model(), "model");
  const SentencePieceLibrary library(testing::sample_model());
  PieceEncoder encoder(pieces);
  std::vector<int32_t> ids;
  size_t bytes = 0;
  while (bytes < 300'000) {
    for (const std::string& line : random_mixtures(bytes)) {
      ids.clear();
      encoder.append(line, ids);
      ASSERT_EQ(ids, library.encode(line)) << ::testing::PrintToString(line);
      bytes += line.size();
    }
  }
}

// Of the CPU, so that other programs on the machine make no difference.
double seconds_to_encode(const Pieces& pieces, const std::string& text) {
  const std::clock_t start = std::clock();
  EXPECT_FALSE(pieces.encode(text).empty());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// The library takes a minute for a megabyte of unknown characters. Ten times the text may take
// twenty times as long, whatever the machine; a quadratic encoder takes a hundred times.
TEST(SentencePieceParity, TimeGrowsWithTheTextAndNotWithItsSquare) {
  for (const char* type : {"bpe", "unigram", "char"}) {
    const Pieces pieces(
        train_with_library(training_lines(), {{"model_type", type}, {"vocab_size", "500"}}), type);
    for (const std::string_view unit : {"Ж", "a", " ", "\xff", "龘a", "e\u0301"}) {
      std::string small;
      while (small.size() < 100'000) small += unit;
      std::string large;
      for (int i = 0; i < 10; ++i) large += small;
      if (unit == " ") {
        small += 'a';
        large += 'a';
      }
      double of_small = 1;
      for (int i = 0; i < 3; ++i) of_small = std::min(of_small, seconds_to_encode(pieces, small));
      const double of_large = seconds_to_encode(pieces, large);
      EXPECT_LT(of_large, 20 * of_small + 0.05) << type << " of " << unit;
    }
  }
}

}  // namespace
}  // namespace eatt
