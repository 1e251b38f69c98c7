#include "study/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "study/child.h"
#include "study/paper.h"

namespace eatt::study {
namespace {

using ::testing::HasSubstr;

CellScores scored(const std::string& name, int seed, double dev, double test) {
  CellScores scores;
  scores.name = name;
  scores.seed = seed;
  scores.dev_bleu = dev;
  scores.test_bleu = test;
  scores.dev_cross_entropy = 2;
  return scores;
}

TEST(StudyTables, GiveMeanAndDeviationOverTheSeeds) {
  StudyOptions options;
  options.kinds = {StudyKind::overall};
  const std::vector<CellScores> scores = {scored("vanilla", 1, 30, 31),
                                          scored("vanilla", 2, 32, 33), scored("eatt", 1, 29, 30)};
  const auto tables = result_tables(options, {}, scores);
  ASSERT_EQ(tables.size(), 1);
  const auto& rows = tables[0].rows;
  EXPECT_EQ(rows[0][1], "31.00 ± 1.41");
  EXPECT_EQ(rows[1][2], "30.00") << "one seed has no deviation";
  EXPECT_EQ(rows[2][1], "") << "best is not done";
  EXPECT_EQ(rows[0].size(), tables[0].columns.size());
}

TEST(StudyTables, HaveARowForEveryCellOfThePaperAndAsManyColumnsAsTitles) {
  StudyOptions options;
  for (size_t i = 0; i < kStudyNames.size(); ++i)
    options.kinds.push_back(static_cast<StudyKind>(i));
  std::vector<CellScores> scores = {scored("eatt", 1, 29, 30)};
  scores[0].densities = {
      .encoder_self = {0.1, 0.2}, .decoder_self = {0.3}, .cross_query = {0.4}, .cross_key = 0.5};
  scores[0].alignments = {{.source = {"ein", "Mann"},
                           .target = {"a", "man"},
                           .weights = {{0.75, 0.25}, {0.125, 0.875}}}};
  for (const ResultTable& table : result_tables(options, {}, scores)) {
    EXPECT_FALSE(table.rows.empty()) << table.name;
    if (table.name == "case") {
      EXPECT_EQ(table.rows[0][2], "a←ein man←Mann");
    }
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
  }
}

TEST(StudyTables, OfThePaperHoldItsOwnFigures) {
  EXPECT_EQ(paper::hybrid("vanilla", "dense"), 19.92);
  EXPECT_EQ(paper::hybrid("eatt", "vanilla"), 28.08);
  EXPECT_EQ(paper::student("eatt", 3).bleu, 20.07);
  EXPECT_EQ(paper::density("cross-query").back(), 54.73);
}

TEST(StudyTables, AreValidMarkdownCsvAndJson) {
  const std::vector<ResultTable> tables = {{.name = "t",
                                            .title = "A title",
                                            .columns = {"a", "b"},
                                            .rows = {{"x|y", ""}, {"1,5", "\"q\""}},
                                            .note = "Note."}};
  EXPECT_EQ(markdown_of(tables),
            "## A title\n\n| a | b |\n|---|---|\n| x\\|y | – |\n| 1,5 | \"q\" |\n\nNote.\n\n");
  EXPECT_EQ(csv_of(tables), "table,a,b\nt,x|y,\nt,\"1,5\",\"\"\"q\"\"\"\n");
  const auto object = nlohmann::json::parse(json_of(tables, {scored("eatt", 1, 29, 30)}));
  EXPECT_EQ(object["tables"][0]["rows"][1][0], "1,5");
  EXPECT_EQ(object["cells"][0]["test_bleu"], 30);
}

TEST(ShellCommand, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_command({"eatt", "translate", "my model", "--beam-size", "4"}),
            "eatt translate 'my model' --beam-size 4");
  EXPECT_EQ(shell_command({"eatt", "-i", "a b", "--after=3 u", "--"}),
            "eatt -i 'a b' --'after=3 u' --");
}

}  // namespace
}  // namespace eatt::study
