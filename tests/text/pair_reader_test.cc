#include "text/corpus/pair_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/files.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const std::vector<PairInput>& inputs, size_t max_line_bytes = 100) {
  PairReader reader(inputs, max_line_bytes);
  Pairs pairs;
  RawPair pair;
  while (reader.next(pair)) pairs.emplace_back(pair.source, pair.target);
  return pairs;
}

ProblemCounts problems_of(const std::vector<PairInput>& inputs, size_t max_line_bytes = 100) {
  PairChunkReader reader(inputs, max_line_bytes);
  PairChunk chunk;
  ProblemCounts problems;
  while (reader.read(chunk)) {
    chunk.for_each_usable([](PairChunk::Entry&, std::string_view, std::string_view) {});
    count_problems(chunk, inputs, problems);
  }
  return problems;
}

PairInput parallel(const std::filesystem::path& source, const std::filesystem::path& target) {
  return {source.string(), target.string()};
}

PairInput tsv(const std::filesystem::path& file) { return {file.string(), {}}; }

TEST(PairReader, SeveralInputsFollowEachOther) {
  const TemporaryFolder folder;
  const auto plain = parallel(folder.write("a.en", "a\nb\n"), folder.write("a.de", "A\nB"));
  const auto packed = parallel(folder.write("b.en.gz", testing::gzip("c\n")),
                               folder.write("b.de.gz", testing::gzip("C\r\n")));
  const auto table = tsv(folder.write("c.tsv", "d\tD\ne\tE\n"));
  EXPECT_THAT(
      pairs_of({plain, packed, table}),
      ElementsAre(Pair("a", "A"), Pair("b", "B"), Pair("c", "C"), Pair("d", "D"), Pair("e", "E")));
}

TEST(PairReader, UnequalSidesAreAnErrorWithBothNamesAndCounts) {
  const TemporaryFolder folder;
  const auto three = folder.write("three", "1\n2\n3\n"), one = folder.write("one", "1\n");
  EXPECT_THAT([&] { pairs_of({parallel(three, one)}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("three has 3 lines"), HasSubstr("one has 1;"))));
  EXPECT_THAT([&] { pairs_of({parallel(one, three)}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("one has 1 line "), HasSubstr("three has 3;"))));
  const auto none = folder.write("none", "");
  EXPECT_THAT([&] { pairs_of({parallel(none, three)}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("none has 0 lines"), HasSubstr("has 3;"))));
}

TEST(PairReader, WrongColumnsAreCountedWithTheFirstLineAndItsColumns) {
  const TemporaryFolder folder;
  const auto problems =
      problems_of({tsv(folder.write("a.tsv", "a\tA\nb\tB\textra\nno tab\n\nc\tC\n"))});
  const auto& entry = problems[PairProblem::columns];
  EXPECT_EQ(entry.count, 3u);
  EXPECT_THAT(entry.first_file, HasSubstr("a.tsv"));
  EXPECT_EQ(entry.first_line, 2u);
  EXPECT_EQ(entry.detail, "3 columns");
  EXPECT_EQ(problems.total(), 3u);
}

TEST(PairReader, ChosenColumnsAreReadInTheirOrderAndOthersAreNotLookedAt) {
  const TemporaryFolder folder;
  PairInput input = tsv(folder.write("a.tsv", "1\tx\tb\n2\ty\tc\td\te\r\n"));
  input.columns = {.source = 3, .target = 1};
  EXPECT_THAT(pairs_of({input}), ElementsAre(Pair("b", "1"), Pair("c", "2")));
  input.columns = {.source = 2, .target = 3};
  EXPECT_THAT(pairs_of({input}), ElementsAre(Pair("x", "b"), Pair("y", "c")));
}

TEST(PairReader, ALineWithoutAChosenColumnIsReportedWithItsNumber) {
  const TemporaryFolder folder;
  PairInput input = tsv(folder.write("a.tsv", "a\tb\tc\na\tb\n\na\tb\tc\td\n"));
  input.columns = {.source = 1, .target = 3};
  const auto problems = problems_of({input});
  const auto& entry = problems[PairProblem::columns];
  EXPECT_EQ(entry.count, 2u);
  EXPECT_EQ(entry.first_line, 2u);
  EXPECT_EQ(entry.detail, "2 columns");
  EXPECT_EQ(problems.total(), 2u);
}

TEST(PairReader, ColumnsThatAreNotReadMayBeLong) {
  const TemporaryFolder folder;
  const std::string note(5000, 'n'), side(100, 's');
  PairInput input = tsv(folder.write("a.tsv", note + "\t" + side + "\tt\n" + "a\tt\t" + note));
  input.columns = {.source = 2, .target = 3};
  EXPECT_EQ(problems_of({input})[PairProblem::long_line].count, 1u);
  EXPECT_EQ(problems_of({input})[PairProblem::long_line].first_line, 2u);
  EXPECT_EQ(pairs_of({input}).front().first, side);
}

TEST(PairReader, EachKindOfBadLineIsCountedWithTheFileAndLineOfItsFirst) {
  const TemporaryFolder folder;
  const std::string long_line(101, 'x');
  const auto source = folder.write("s",
                                   "good\nb\xff"
                                   "d\nfine\n" +
                                       long_line + "\nx\n   \nok\n");
  const auto target =
      folder.write("t", std::string("gut\nschlecht\nn\0l\nlang\n\nleer\n\xc3\n", 30));
  const ProblemCounts problems = problems_of({parallel(source, target)});

  EXPECT_EQ(problems[PairProblem::invalid_utf8].count, 2u);
  EXPECT_EQ(problems[PairProblem::invalid_utf8].first_file, source.string());
  EXPECT_EQ(problems[PairProblem::invalid_utf8].first_line, 2u);
  EXPECT_EQ(problems[PairProblem::nul_byte].count, 1u);
  EXPECT_EQ(problems[PairProblem::nul_byte].first_file, target.string());
  EXPECT_EQ(problems[PairProblem::nul_byte].first_line, 3u);
  EXPECT_EQ(problems[PairProblem::long_line].count, 1u);
  EXPECT_EQ(problems[PairProblem::long_line].detail, "101 bytes");
  EXPECT_EQ(problems[PairProblem::empty].count, 2u);
  EXPECT_EQ(problems[PairProblem::empty].first_file, target.string());
  EXPECT_EQ(problems[PairProblem::empty].first_line, 5u);
  EXPECT_EQ(problems.total(), 6u);
  EXPECT_THAT(problems.text(), AllOf(HasSubstr("2 pairs with invalid UTF-8 (first: "),
                                     HasSubstr("s, line 2)"), HasSubstr("1 pair with a NUL byte")));
}

TEST(PairReader, LineNumbersBeginAnewWithEachInput) {
  const TemporaryFolder folder;
  const auto good = tsv(folder.write("good.tsv", "a\tA\nb\tB\n"));
  const auto bad = tsv(folder.write("bad.tsv", "c\tC\nwrong\n"));
  const auto problems = problems_of({good, bad});
  EXPECT_THAT(problems[PairProblem::columns].first_file, HasSubstr("bad.tsv"));
  EXPECT_EQ(problems[PairProblem::columns].first_line, 2u);
}

TEST(PairReader, ATsvLineMayHaveTwoLongColumnsButNotOneTooLong) {
  const TemporaryFolder folder;
  const std::string column(100, 'x');
  const auto file =
      tsv(folder.write("a.tsv", column + "\t" + column + "\nshort\t" + column + "y\n"));
  const auto problems = problems_of({file});
  EXPECT_EQ(problems[PairProblem::long_line].count, 1u);
  EXPECT_EQ(problems[PairProblem::long_line].first_line, 2u);
  EXPECT_EQ(problems.total(), 1u);
}

}  // namespace
}  // namespace eatt
