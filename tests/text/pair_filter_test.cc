#include "text/corpus/pair_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "support/files.h"
#include "text/corpus/duplicates.h"
#include "text/corpus/pair_reader.h"

namespace eatt {
namespace {

PairProblem filtered(std::string_view source, std::string_view target, const PairFilters& filters) {
  uint8_t side = 0;
  return find_filtered(source, target, filters, side);
}

TEST(PairFilter, WithoutARequestNothingIsLeftOut) {
  EXPECT_EQ(filtered("OK", "OK", {}), PairProblem::none);
  EXPECT_FALSE(PairFilters().look_at_text());
}

TEST(PairFilter, IdenticalSidesAreFoundWhateverSpacesAreAroundThem) {
  PairFilters filters;
  filters.drop_identical = true;
  EXPECT_EQ(filtered("Copyright 2026", " Copyright 2026\t", filters), PairProblem::identical);
  EXPECT_EQ(filtered("Copyright 2026", "copyright 2026", filters), PairProblem::none);
}

TEST(PairFilter, ASideNeedsEnoughLettersOfItsScript) {
  PairFilters filters;
  filters.source_script = script_from_name("han");
  filters.target_script = script_from_name("Latin");
  EXPECT_EQ(filtered("我们 2026 年去 IBM。", "We went to IBM in 2026.", filters), PairProblem::none)
      << "most letters are Han, digits and punctuation count for neither";
  EXPECT_EQ(filtered("We went.", "We went.", filters), PairProblem::script);
  EXPECT_EQ(filtered("2026 - 42", "2026 - 42", filters), PairProblem::none) << "no letters";
  uint8_t side = 0;
  EXPECT_EQ(find_filtered("我们去。", "Мы идём.", filters, side), PairProblem::script);
  EXPECT_EQ(side, 1);
  filters.min_script_share = 0.9;
  EXPECT_EQ(filtered("我们去 IBM。", "We go.", filters), PairProblem::script);
}

TEST(PairFilter, EveryScriptIsKnownByItsName) {
  for (const std::string& name : script_names()) {
    const auto script = script_from_name(name);
    ASSERT_TRUE(script) << name;
    EXPECT_EQ(name_of_script(*script), name);
  }
  EXPECT_FALSE(script_from_name("Klingon"));
}

TEST(PairFilter, LengthsAreComparedWithTheLimits) {
  const LengthLimits limits{.most = 10, .least = 2, .max_ratio = 3};
  const auto problem_of = [&](size_t source, size_t target) {
    PairChunk::Entry entry;
    entry.has_usable_lengths(source, target, limits);
    return entry.problem;
  };
  EXPECT_EQ(problem_of(3, 9), PairProblem::none);
  EXPECT_EQ(problem_of(10, 3), PairProblem::ratio);
  EXPECT_EQ(problem_of(1, 2), PairProblem::few_pieces);
  EXPECT_EQ(problem_of(5, 11), PairProblem::many_pieces);
  EXPECT_EQ(problem_of(0, 5), PairProblem::no_pieces);
}

TEST(Duplicates, TheHashTellsTheSidesApart) {
  EXPECT_EQ(hash_of_pair("a b", "c"), hash_of_pair(" a b ", "c\t"));
  EXPECT_NE(hash_of_pair("ab", "c"), hash_of_pair("a", "bc"));
  EXPECT_NE(hash_of_pair("a", "b"), hash_of_pair("b", "a"));
  EXPECT_NE(hash_of_pair("a", ""), hash_of_pair("", "a"));
}

TEST(Duplicates, AllButTheFirstOfEqualHashesAreMarkedAlsoBeyondWhatMemoryHolds) {
  const testing::TemporaryFolder folder;
  DuplicateFinder finder(folder.path());
  constexpr uint64_t kPairs = 1'500'000;  // Most of them go to the file.
  std::vector<bool> repeats(kPairs);
  Random random(3);
  for (uint64_t i = 0; i < kPairs; ++i) {
    repeats[i] = i > 1000 && random.chance(0.01);
    const uint64_t like = repeats[i] ? random.below(1000) : i;
    finder.add(i, Random::stream(11, like).next());
  }
  const PairMarks marks = finder.find();
  uint64_t expected = 0, wrong = 0;
  for (uint64_t i = 0; i < kPairs; ++i) {
    expected += repeats[i];
    wrong += marks.contains(i) != repeats[i];
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(marks.size(), expected);
  marks.save(folder / "marks");
  const PairMarks again = PairMarks::load(folder / "marks");
  EXPECT_EQ(again.size(), marks.size());
  EXPECT_FALSE(again.contains(kPairs + 100)) << "beyond its end";
}

}  // namespace
}  // namespace eatt
