#include "evaluation/ter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace eatt::evaluation {
namespace {

using ::testing::StartsWith;
using Text = std::vector<std::string_view>;
using Sequence = std::vector<uint32_t>;

constexpr double kDigits = 1e-10;

double ter(const Text& hypotheses, const std::vector<Text>& references,
           const TerOptions& options = {}) {
  const Ter metric(options);
  const std::vector<Sentences> texts(references.begin(), references.end());
  return metric.score(collect_statistics(metric, hypotheses, texts).sums());
}

size_t edits(const Sequence& hypothesis, const Sequence& reference) {
  return WordShifts().count_edits(hypothesis, reference);
}

TEST(Ter, EqualTextsNeedNoEdits) { EXPECT_EQ(ter({"a b c"}, {{"a b c"}}), 0); }

TEST(Ter, CountsEditsPerReferenceWord) {
  EXPECT_NEAR(ter({"a x c d e"}, {{"a b c d"}}), 50, kDigits);
  EXPECT_NEAR(ter({"a b", "c"}, {{"a b", "c d"}}), 25, kDigits);
}

TEST(Ter, EmptyTextOnEitherSide) {
  EXPECT_NEAR(ter({""}, {{"a b c"}}), 100, kDigits);
  EXPECT_NEAR(ter({"a b c"}, {{""}}), 100, kDigits) << "no reference words at all";
  EXPECT_EQ(ter({""}, {{""}}), 0);
  EXPECT_NEAR(ter({"a b", "c"}, {{"", "c"}}), 200, kDigits);
}

TEST(Ter, AMovedBlockIsOneEdit) {
  EXPECT_NEAR(ter({"d a b c"}, {{"a b c d"}}), 25, kDigits);
  EXPECT_NEAR(ter({"d e f a b c"}, {{"a b c d e f"}}), 100.0 / 6, kDigits);
}

TEST(Ter, FewestEditsOverReferencesPerMeanLength) {
  EXPECT_NEAR(ter({"a b c"}, {{"a b c d e"}, {"a b c"}}), 0, kDigits);
  EXPECT_NEAR(ter({"a b x"}, {{"a b c d e"}, {"a b c"}}), 100 * 1 / 4.0, kDigits);
}

TEST(Ter, IgnoresCaseUnlessToldNot) {
  EXPECT_EQ(ter({"A B"}, {{"a b"}}), 0);
  EXPECT_NEAR(ter({"A B"}, {{"a b"}}, {.case_sensitive = true}), 100, kDigits);
}

TEST(Ter, NormalizedReferencesAreSplitTwiceAsInSacreBleu) {
  const TerOptions normalized{.normalized = true};
  // The reference becomes "the dog is anna 's .", the hypothesis stays "the dog is anna's .".
  EXPECT_NEAR(ter({"The dog is Anna's."}, {{"The dog is Anna's."}}, normalized), 100.0 * 2 / 6,
              kDigits);
  EXPECT_EQ(ter({"The dog is Anna 's ."}, {{"The dog is Anna's."}}, normalized), 0);
  EXPECT_EQ(ter({"The dog is Anna's."}, {{"The dog is Anna's."}}), 0) << "not normalized";
  EXPECT_EQ(ter({"Anna's dog, 1,000."}, {{"Anna's dog, 1,000."}}, normalized), 0);
}

TEST(Ter, SignatureTellsTheOptions) {
  EXPECT_THAT(Ter().signature(1),
              StartsWith("nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:eatt-"));
  EXPECT_THAT(
      Ter({.normalized = true,
           .no_punctuation = true,
           .asian_support = true,
           .case_sensitive = true})
          .signature(2, Resampling{100, 1}),
      StartsWith("nrefs:2|bs:100|seed:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|"));
}

TEST(WordShifts, BlocksThatAlreadyMatchAreNotTornApart) {
  EXPECT_EQ(edits({1, 2, 3, 9, 4, 5, 6}, {1, 2, 3, 4, 5, 6}), 1u);
}

TEST(WordShifts, MovesOnlyWhatSavesMoreThanAnEdit) {
  EXPECT_EQ(edits({2, 1}, {1, 2}), 1u) << "one move instead of two replacements";
  EXPECT_EQ(edits({3, 2, 1}, {1, 2, 3}), 2u);
}

TEST(WordShifts, NothingFartherThanFiftyPositionsMoves) {
  const auto with_last_in_front = [](uint32_t size) {
    Sequence reference(size);
    std::iota(reference.begin(), reference.end(), 0);
    Sequence hypothesis = reference;
    std::rotate(hypothesis.begin(), hypothesis.end() - 1, hypothesis.end());
    return edits(hypothesis, reference);
  };
  EXPECT_EQ(with_last_in_front(51), 1u) << "50 positions: a move";
  EXPECT_EQ(with_last_in_front(52), 2u) << "51 positions: dropped here, added there";
}

// ---- The band against a whole table.

int32_t whole_distance(const Sequence& a, const Sequence& b) {
  std::vector<int32_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int32_t diagonal = row[0];
    row[0] = static_cast<int32_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int32_t kept = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({kept, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

Sequence random_words(Random& random, size_t most, uint64_t vocabulary) {
  Sequence words(1 + random.below(most));
  for (uint32_t& word : words) word = static_cast<uint32_t>(random.below(vocabulary));
  return words;
}

TEST(BandedEditDistance, IsTheTrueDistanceForDistancesUpTo24) {
  Random random(4);
  int checked = 0;
  for (int round = 0; round < 2000; ++round) {
    const Sequence reference = random_words(random, round % 2 == 0 ? 20 : 120, 6);
    Sequence hypothesis = reference;
    for (size_t changes = random.below(20); changes > 0 && hypothesis.size() > 1; --changes) {
      const auto at = hypothesis.begin() + static_cast<ptrdiff_t>(random.below(hypothesis.size()));
      if (random.chance(0.5)) {
        *at = static_cast<uint32_t>(random.below(6));
      } else if (random.chance(0.5)) {
        hypothesis.erase(at);
      } else {
        hypothesis.insert(at, static_cast<uint32_t>(random.below(6)));
      }
    }
    const int32_t truth = whole_distance(hypothesis, reference);
    if (truth > 24) continue;
    ++checked;
    BandedEditDistance distance;
    distance.start(reference, hypothesis.size());
    distance.fill(hypothesis);
    ASSERT_EQ(distance.distance(), truth) << "round " << round;
  }
  EXPECT_GT(checked, 1000);
}

TEST(BandedEditDistance, WildlyDifferentLengthsStillMeet) {
  for (const size_t reference_size : {1u, 40u, 51u, 400u, 3000u}) {
    for (const size_t hypothesis_size : {1u, 2u, 7u, 60u, 1000u}) {
      const Sequence reference(reference_size, 1);
      const Sequence hypothesis(hypothesis_size, 2);
      BandedEditDistance distance;
      distance.start(reference, hypothesis.size());
      distance.fill(hypothesis);
      EXPECT_EQ(distance.distance(),
                static_cast<int32_t>(std::max(reference_size, hypothesis_size)))
          << reference_size << " " << hypothesis_size;
    }
  }
}

TEST(BandedEditDistance, AChangedStretchGivesTheDistanceOfTheWhole) {
  Random random(5);
  for (int round = 0; round < 1000; ++round) {
    const Sequence reference = random_words(random, 90, 8);
    const Sequence hypothesis = random_words(random, 90, 8);
    Sequence changed = hypothesis;
    const size_t begin = random.below(changed.size());
    const size_t end = begin + random.below(changed.size() - begin + 1);
    for (size_t i = begin; i < end; ++i) changed[i] = static_cast<uint32_t>(random.below(8));

    BandedEditDistance distance;
    distance.start(reference, hypothesis.size());
    distance.fill(changed);
    const int32_t whole = distance.distance();
    distance.fill(hypothesis);
    ASSERT_EQ(distance.distance_if(changed, begin, end), whole) << "round " << round;
  }
}

TEST(BandedEditDistance, AlignmentTellsErrorsOnBothSides) {
  const Sequence reference{1, 2, 3, 4, 5, 6};
  const Sequence hypothesis{9, 1, 2, 3, 5, 7};  // 9 too much, 4 missing, 7 for 6.
  BandedEditDistance distance;
  distance.start(reference, hypothesis.size());
  distance.fill(hypothesis);
  EXPECT_EQ(distance.distance(), 3);
  BandedEditDistance::Alignment alignment;
  distance.align(hypothesis, alignment);
  EXPECT_THAT(alignment.hypothesis_of, ::testing::ElementsAre(1, 2, 3, 3, 4, 5));
  EXPECT_THAT(alignment.reference_errors, ::testing::ElementsAre(0, 0, 0, 0, 1, 1, 2));
  EXPECT_THAT(alignment.hypothesis_errors, ::testing::ElementsAre(0, 1, 1, 1, 1, 1, 2));
}

}  // namespace
}  // namespace eatt::evaluation
