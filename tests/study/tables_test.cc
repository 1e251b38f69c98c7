#include "study/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

std::string cell(const ResultTable& table, size_t row, const std::string& column) {
  const auto found = std::ranges::find(table.columns, column);
  return table.rows.at(row).at(static_cast<size_t>(found - table.columns.begin()));
}

// The only table of a study.
ResultTable table_of(StudyKind kind, const std::vector<CellScores>& scores) {
  StudyOptions options;
  options.kinds = {kind};
  return result_tables(options, {}, scores).at(0);
}

TEST(StudyTables, GiveMeanAndDeviationOverTheSeeds) {
  StudyOptions options;
  options.kinds = {StudyKind::overall};
  std::vector<CellScores> scores = {scored("vanilla", 1, 30, 31), scored("vanilla", 2, 32, 33),
                                    scored("eatt", 1, 29, 30)};
  scores[0].energy.attention_exact = 0.25;
  scores[1].energy.attention_exact = 0.75;
  const auto tables = result_tables(options, {}, scores);
  ASSERT_EQ(tables.size(), 1);
  const auto& rows = tables[0].rows;
  EXPECT_EQ(rows[0][1], "2");
  EXPECT_EQ(rows[0][2], "31.00 ± 1.41");
  EXPECT_EQ(rows[1][3], "30.00") << "one seed has no deviation";
  EXPECT_EQ(rows[2][2], "") << "best is not done";
  EXPECT_EQ(cell(tables[0], 0, "attention, exact %"), "50.00") << "energy is a mean, too";
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

TEST(StudyTables, HaveARowForTheBestCodesAndForDistilledOnesWhereTheyAreTrained) {
  std::vector<CellScores> scores = {scored("best", 1, 36, 36)};
  scores[0].densities.encoder_self = {0.1};
  EXPECT_EQ(table_of(StudyKind::ablation, scores).rows.back()[0], "best");
  EXPECT_EQ(table_of(StudyKind::hybrid, scores).rows.back()[2], "36.00");
  scores.push_back(scores[0]);
  scores[1].name = "best-distilled";
  for (const auto kind : {StudyKind::ablation, StudyKind::hybrid, StudyKind::density})
    EXPECT_EQ(table_of(kind, scores).rows.back()[0], "best-distilled");
}

TEST(StudyTables, OfDistillationCompareStudentsWithTheFullWidthTeacher) {
  std::vector<CellScores> scores = {scored("vanilla", 1, 30, 31),
                                    scored("student-eatt-attention-4", 1, 29, 30)};
  scores[0].microjoules = {.attention_paper = 40, .attention_exact = 80, .model_exact = 200};
  scores[1].microjoules = {.attention_paper = 4, .attention_exact = 10, .model_exact = 150};
  const ResultTable table = table_of(StudyKind::distillation, scores);
  EXPECT_EQ(table.rows[0][0], "vanilla (teacher)");
  EXPECT_EQ(cell(table, 0, "attention, exact %"), "100.00");
  EXPECT_EQ(cell(table, 1, "paper, dev BLEU"), "27.45") << "E-ATT without a teacher";
  const auto row = std::ranges::find(table.rows, "29.00", [](const auto& one) { return one[3]; });
  ASSERT_NE(row, table.rows.end());
  const auto number = static_cast<size_t>(row - table.rows.begin());
  EXPECT_EQ(cell(table, number, "attention, paper's formulas %"), "10.00");
  EXPECT_EQ(cell(table, number, "attention, exact %"), "12.50");
  EXPECT_EQ(cell(table, number, "µJ per sentence, whole model"), "150.00");
}

TEST(StudyTables, OfEnergyStandBesideWhatThePaperPrintsForEachPartAndChip) {
  std::vector<CellScores> scores = {scored("eatt", 1, 29, 30)};
  scores[0].fpga.attention_exact = 0.375;
  const ResultTable table = table_of(StudyKind::energy, scores);
  EXPECT_EQ(table.rows[3],
            (std::vector<std::string>{"eatt", "attention", "fpga", "100.00", "37.50", "33.83"}));
  EXPECT_EQ(table.rows.back()[1], "whole model");
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
