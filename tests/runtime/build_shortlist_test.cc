#include "runtime/shortlist/build_shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "builtin/generate.h"
#include "support/files.h"
#include "text/lexicon/lexical_model.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;
using testing::TemporaryFolder;

Pieces pieces_of(const std::vector<std::string>& lines, int size, const std::string& name) {
  WordCounts words;
  for (const std::string& line : lines) words.add(line);
  return Pieces(train_pieces(std::move(words), {.vocab_size = size, .character_coverage = 1}),
                name);
}

// Two small vocabularies that share some of their text.
class BuildShortlist : public ::testing::Test {
 protected:
  int32_t source(std::string_view piece) const { return known(source_, piece); }
  int32_t target(std::string_view piece) const { return known(target_, piece); }

  static int32_t known(const Pieces& pieces, std::string_view piece) {
    EXPECT_NE(pieces.id(piece), kUnknownPiece) << piece;
    return pieces.id(piece);
  }

  ShortlistContents build(const std::map<int32_t, std::vector<LexicalModel::Entry>>& rows,
                          const ShortlistOptions& options) const {
    std::vector<std::vector<LexicalModel::Entry>> all(static_cast<size_t>(source_.size()));
    for (const auto& [id, row] : rows) all[static_cast<size_t>(id)] = row;
    return build_shortlist(LexicalModel(std::move(all)), counts_, source_, target_, options);
  }

  Pieces source_ = pieces_of({"Anna hat 7 Hunde", "Anna Anna Anna", "Hunde Hunde"}, 24, "source");
  Pieces target_ =
      pieces_of({"Anna 有 7 只 狗 dogs", "Anna Anna Anna", "dogs dogs 狗狗"}, 24, "target");
  std::vector<uint64_t> counts_ = std::vector<uint64_t>(static_cast<size_t>(target_.size()), 1);
};

TEST_F(BuildShortlist, TheMostFrequentAndTheSpellingPiecesAreAlwaysAllowed) {
  counts_[static_cast<size_t>(target("▁dogs"))] = 100;
  counts_[static_cast<size_t>(target("7"))] = 0;
  const auto always = build({}, {.first = 1}).always;
  EXPECT_EQ(always.front(), kEndPiece);
  EXPECT_TRUE(std::ranges::is_sorted(always));
  EXPECT_THAT(always, IsSupersetOf({target("▁dogs"), target("A"), target("s"), target("▁")}));
  EXPECT_THAT(always, Not(Contains(target("▁Anna"))));  // Neither frequent nor one character.
  EXPECT_THAT(always, Not(Contains(target("狗"))));     // One of thousands.
  EXPECT_THAT(always, Not(Contains(target("7"))));      // Never seen.
}

TEST_F(BuildShortlist, EachSourcePieceHasItsBestAndItsOwnText) {
  const int32_t dogs = target("▁dogs"), dog = target("狗"), has = target("有");
  const std::map<int32_t, std::vector<LexicalModel::Entry>> rows = {
      {source("▁Hunde"), {{dogs, 0.5f}, {dog, 0.3f}, {has, 0.1f}, {kEndPiece, 0.9f}}}};
  const auto hunde = static_cast<size_t>(source("▁Hunde"));
  auto sorted = [](std::vector<int32_t> ids) {
    std::ranges::sort(ids);
    return ids;
  };
  EXPECT_EQ(build(rows, {.first = 0, .best = 2}).likely[hunde], sorted({dogs, dog}));
  EXPECT_EQ(build(rows, {.first = 0, .best = 9}).likely[hunde], sorted({dogs, dog, has}));
  EXPECT_EQ(build(rows, {.first = 0, .threshold = 0.4}).likely[hunde], sorted({dogs}));
  const auto anna = static_cast<size_t>(source("▁Anna"));
  EXPECT_THAT(build(rows, {.first = 0}).likely[anna], ElementsAre(target("▁Anna")));
}

TEST_F(BuildShortlist, WhatIsAlwaysAllowedIsNotListedAgain) {
  const int32_t dogs = target("▁dogs");
  const auto contents = build({{source("▁Hunde"), {{dogs, 0.5f}}}}, {.first = 1000});
  EXPECT_THAT(contents.always, Contains(dogs));
  for (const auto& list : contents.likely) EXPECT_TRUE(list.empty());
}

TEST(ExpectedTargetCounts, ALexiconCanStandInForCounts) {
  const LexicalModel lexicon({{}, {{5, 0.5f}, {6, 1e-9f}}, {{5, 0.25f}}});
  EXPECT_THAT(expected_target_counts(lexicon, 8), ElementsAre(0, 0, 0, 0, 0, 750'000, 1, 0));
}

TEST(ShortlistCoverage, CountsWhatIsInTheListOfItsSource) {
  const TemporaryFolder folder;
  write_shortlist(folder / "list", {.target_vocab = 20,
                                    .source_sha256 = std::string(64, 'a'),
                                    .target_sha256 = std::string(64, 'b'),
                                    .always = {3, 10},
                                    .likely = {{}, {}, {}, {}, {11}, {12}}});
  StoredPairs pairs;
  pairs.add(std::vector<int32_t>{4}, std::vector<int32_t>{10, 11, 12, kUnknownPiece});
  pairs.add(std::vector<int32_t>{4, 5}, std::vector<int32_t>{12, 11, kUnknownPiece});
  const auto coverage = measure_coverage(Shortlist::open(folder / "list"), pairs);
  EXPECT_EQ(coverage.pairs, 2u);
  EXPECT_EQ(coverage.target_pieces, 5u);
  EXPECT_EQ(coverage.covered, 4u);
  EXPECT_EQ(coverage.covered_pairs, 1u);
  EXPECT_EQ(coverage.sizes, 3u + 4u);
}

// The built-in corpus: sentences whose true alignment is known.
class BuiltInShortlist : public ::testing::Test {
 protected:
  static constexpr size_t kTraining = 4000, kTest = 500;

  void SetUp() override {
    Random random(1);
    std::vector<std::string> sources, targets;
    for (size_t i = 0; i < kTraining + kTest; ++i) {
      builtin::Composer composer(random);
      sentences_.push_back(
          builtin::finish(builtin::find_language_pair("zh-en").sentence(composer)));
      sources.push_back(builtin::join(sentences_.back().source, builtin::Spacing::words));
      targets.push_back(builtin::join(sentences_.back().target, builtin::Spacing::words));
    }
    source_.emplace(pieces_of(sources, 1200, "source"));
    target_.emplace(pieces_of(targets, 1200, "target"));
    StoredPairs training;
    for (size_t i = 0; i < kTraining; ++i) {
      training.add(source_->encode(sources[i]), target_->encode(targets[i]));
    }
    const auto lexicon = train_lexical_model(
        training, {.source_vocab = source_->size(), .target_vocab = target_->size()});
    write_shortlist(folder_ / "zh-en",
                    build_shortlist(lexicon, count_target_pieces(training, target_->size()),
                                    *source_, *target_, {.first = 50, .best = 30}));
  }

  TemporaryFolder folder_;
  std::vector<builtin::SentencePair> sentences_;
  std::optional<Pieces> source_, target_;
};

TEST_F(BuiltInShortlist, PiecesOfAWordAreInTheListOfTheWordsItIsAlignedWith) {
  const Shortlist shortlist = Shortlist::open(folder_ / "zh-en");
  uint64_t pieces = 0, found = 0, sizes = 0, lists = 0;
  std::vector<int32_t> source, allowed;
  for (size_t i = kTraining; i < sentences_.size(); ++i) {
    const auto& sentence = sentences_[i];
    for (size_t t = 0; t < sentence.target.size(); ++t) {
      source.clear();
      for (const auto& link : sentence.links) {
        if (static_cast<size_t>(link.target) != t) continue;
        source_->append_encoded(sentence.source[static_cast<size_t>(link.source)], source);
      }
      if (source.empty()) continue;  // No counterpart.
      shortlist.pieces_for(source, allowed);
      sizes += allowed.size();
      ++lists;
      for (const int32_t piece : target_->encode(sentence.target[t])) {
        ++pieces;
        found += std::ranges::binary_search(allowed, piece);
      }
    }
  }
  EXPECT_GT(pieces, 3000u);
  EXPECT_GE(static_cast<double>(found), 0.99 * static_cast<double>(pieces));
  EXPECT_LT(sizes / lists, 300u);  // Of 1200: it does not simply allow everything.
}

}  // namespace
}  // namespace eatt
