#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/alignments.h"
#include "support/files.h"

namespace eatt::evaluation {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// "3: found …" for what is wrong in column 3.
std::string syntax_error(std::string_view line, uint32_t base = 0) {
  try {
    parse_alignment_line(line, base);
  } catch (const AlignmentSyntaxError& error) {
    return std::to_string(error.column()) + ": " + error.what();
  }
  return "no error";
}

TEST(Pharaoh, ReadsSureAndPossibleLinks) {
  EXPECT_THAT(parse_alignment_line("0-0 1p2 10?3"),
              ElementsAre(AlignmentLink{0, 0, true}, AlignmentLink{1, 2, false},
                          AlignmentLink{10, 3, false}));
}

TEST(Pharaoh, ALineMayBeEmptyOrFullOfSpace) {
  EXPECT_THAT(parse_alignment_line(""), IsEmpty());
  EXPECT_THAT(parse_alignment_line(" \t\r"), IsEmpty());
  EXPECT_THAT(parse_alignment_line("  0-1\t 2-3 \r"),
              ElementsAre(AlignmentLink{0, 1, true}, AlignmentLink{2, 3, true}));
}

TEST(Pharaoh, CountsFromOneIfToldSo) {
  EXPECT_THAT(parse_alignment_line("1-3 2p1", 1),
              ElementsAre(AlignmentLink{0, 2, true}, AlignmentLink{1, 0, false}));
  EXPECT_THAT(syntax_error("1-1 2-0", 1),
              AllOf(HasSubstr("'2-0'"), HasSubstr("positions that count from 1")));
}

TEST(Pharaoh, WhatIsNoLinkIsShownWithItsColumn) {
  EXPECT_THAT(syntax_error("0-0 1~2"), AllOf(HasSubstr("6: found '1~2'"), HasSubstr("0-2, 0p2")));
  EXPECT_THAT(syntax_error("0"), HasSubstr("2: found '0'"));
  EXPECT_THAT(syntax_error("0-"), HasSubstr("3: found '0-'"));
  EXPECT_THAT(syntax_error("-0"), HasSubstr("1: found '-0'"));
  EXPECT_THAT(syntax_error("0--1"), HasSubstr("3: found '0--1'"));
  EXPECT_THAT(syntax_error("0-1-2"), HasSubstr("4: found '0-1-2'"));
  EXPECT_THAT(syntax_error("0-1S"), HasSubstr("4: found '0-1S'"));
  EXPECT_THAT(syntax_error(std::string("0-1\0", 4)), HasSubstr("found '0-1\\x00'"));
  EXPECT_THAT(syntax_error("\xff"), HasSubstr("'\\xff'"));
  EXPECT_THAT(syntax_error(std::string(500, 'x')), HasSubstr("xxx…'"));
}

TEST(Pharaoh, NumbersBeyondReasonAreRefused) {
  EXPECT_THAT(syntax_error("99999999999999999999-0"), HasSubstr("positions up to 1000000"));
  EXPECT_THAT(parse_alignment_line("1000000-0"), ElementsAre(AlignmentLink{1000000, 0, true}));
}

TEST(Pharaoh, WritesWhatItReads) {
  const std::string line = "0-0 1p2 10-3";
  EXPECT_EQ(format_alignment_line(parse_alignment_line(line)), line);
  EXPECT_EQ(format_alignment_line({}), "");
}

Alignments links(std::vector<std::string_view> lines) {
  Alignments result{"test", {}};
  for (const std::string_view line : lines) result.sentences.push_back(parse_alignment_line(line));
  return result;
}

TEST(AlignmentError, PossibleLinksHelpPrecisionAndSureOnesRecall) {
  // A = {0-0, 1-1, 2-2, 3-0}; S = {0-0, 4-4}; P adds {1-1}.
  const AlignmentScore score =
      score_alignments(links({"0-0 1-1 2-2", "3-0"}), links({"0-0 1p1 4-4", ""}));
  EXPECT_EQ(score.links, 4u);
  EXPECT_DOUBLE_EQ(score.precision(), 2.0 / 4);
  EXPECT_DOUBLE_EQ(score.recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(score.error_rate(), 1 - (1.0 + 2.0) / (4 + 2));
}

TEST(AlignmentError, RepeatedLinksCountOnceAndSureWins) {
  const AlignmentScore score = score_alignments(links({"0-0 0-0 0p0"}), links({"0p0 0-0 0p0"}));
  EXPECT_EQ(score.links, 1u);
  EXPECT_EQ(score.sure, 1u);
  EXPECT_EQ(score.error_rate(), 0);
}

TEST(AlignmentError, NothingAgainstNothingIsPerfect) {
  const AlignmentScore nothing = score_alignments(links({""}), links({""}));
  EXPECT_EQ(nothing.error_rate(), 0);
  EXPECT_EQ(nothing.precision(), 1);
  EXPECT_EQ(nothing.recall(), 1);
  EXPECT_EQ(score_alignments(links({""}), links({"0-0"})).error_rate(), 1);
  EXPECT_EQ(score_alignments(links({"0-0"}), links({""})).precision(), 0);
}

TEST(AlignmentError, ReversedLinksMeetTheGold) {
  Alignments reversed = links({"0-1 2-0"});
  const Alignments gold = links({"1-0 0-2"});
  EXPECT_EQ(score_alignments(reversed, gold).error_rate(), 1);
  reverse_links(reversed);
  EXPECT_EQ(score_alignments(reversed, gold).error_rate(), 0);
}

TEST(AlignmentError, DifferentNumbersOfLinesAreAnError) {
  EXPECT_THAT(message_of([] {
                score_alignments(links({"0-0"}), links({"0-0", ""}));
              }),
              HasSubstr("has 1 line, but test has 2"));
}

TEST(AlignmentFiles, AreReadLineByLineAndErrorsSayWhere) {
  const TemporaryFolder folder;
  const Alignments read = read_alignments(folder.write("good", "0-0\n\n1-1 2-2"), 0);
  EXPECT_EQ(read.sentences.size(), 3u);
  EXPECT_THAT(read.sentences[1], IsEmpty());
  EXPECT_THAT(message_of([&] { read_alignments(folder.write("bad", "0-0\n0-0 x-1\n"), 0); }),
              HasSubstr("bad: line 2, column 5: found 'x-1'"));
  EXPECT_THAT(message_of([&] { read_alignments(folder.write("empty", ""), 0); }),
              HasSubstr("empty: is empty"));
  EXPECT_THAT(message_of([&] { read_alignments(folder / "missing", 0); }),
              HasSubstr("missing: cannot be read: No such file"));
}

}  // namespace
}  // namespace eatt::evaluation
