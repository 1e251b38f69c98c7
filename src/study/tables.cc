#include "study/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "study/paper.h"
#include "study/table_parts.h"

namespace eatt::study {
namespace {

const Row kEnergyTitles = {"alignment, paper's formulas %", "alignment, exact %",
                           "attention, paper's formulas %", "attention, exact %",
                           "whole model, exact %"};

constexpr std::array<double EnergyShares::*, 5> kEnergyColumns = {
    &EnergyShares::alignment_paper, &EnergyShares::alignment_exact, &EnergyShares::attention_paper,
    &EnergyShares::attention_exact, &EnergyShares::model_exact};

// Of one seed; empty if that cell is not done.
Row energy_columns(const CellScores* one) {
  if (one == nullptr) return Row(kEnergyColumns.size());
  Row row;
  for (const auto value : kEnergyColumns) row.push_back(percent(one->energy.*value));
  return row;
}

// Means over the seeds.
Row mean_energy_columns(const Scores& scores, std::string_view name) {
  Row row;
  for (const auto value : kEnergyColumns) {
    const Mean mean = scores.mean(name, [&](const CellScores& one) { return one.energy.*value; });
    row.push_back(mean.count == 0 ? std::string() : percent(mean.mean));
  }
  return row;
}

Row overall_row(const Scores& scores, const char* name) {
  const auto mean = [&](const Scores::Value& value) { return scores.mean(name, value); };
  const Mean dev = mean([](const CellScores& one) { return one.dev_bleu; });
  const Mean loss = mean([](const CellScores& one) { return one.dev_cross_entropy; });
  Row row = {name, dev.count == 0 ? std::string() : std::to_string(dev.count), with_deviation(dev),
             with_deviation(mean([](const CellScores& one) { return one.test_bleu; }))};
  for (const auto& task : paper::test_scores()) {
    row.push_back(name == kVanilla
                      ? fmt::format("{:.2f} ± {:.2f}", task.vanilla, task.vanilla_deviation)
                  : name == kEatt ? fmt::format("{:.2f} ± {:.2f}", task.eatt, task.eatt_deviation)
                                  : std::string());
  }
  row.push_back(loss.count == 0 ? std::string() : fmt::format("{:.4f}", loss.mean));
  append(row, mean_energy_columns(scores, name));
  return row;
}

ResultTable overall_table(const Scores& scores) {
  ResultTable table{.name = "overall",
                    .title = "Vanilla, the paper's E-ATT and our best setting",
                    .columns = {"model", "seeds", "dev BLEU", "test BLEU"},
                    .rows = {},
                    .note = {}};
  for (const auto& task : paper::test_scores())
    table.columns.push_back(fmt::format("paper, {} test", task.task));
  table.columns.emplace_back("dev cross-entropy");
  append(table.columns, kEnergyTitles);
  for (const char* name : {kVanilla, kEatt, kBest, kBestDistilled})
    table.rows.push_back(overall_row(scores, name));
  table.note = fmt::format(
      "Means and standard deviations over the seeds. Energy is in percent of vanilla attention for "
      "the same translation by greedy search, on the ASIC, by the paper's formulas or by exact "
      "counts. {}. best-distilled has the codes of best, and was distilled from the vanilla model "
      "of the same seed: its predictions and its attention.",
      kPaperUnderstatesBest);
  return table;
}

// best, and best-distilled if the folder has it.
std::vector<std::string> our_settings(const Scores& scores) {
  std::vector<std::string> names = {kBest};
  if (scores.find(kBestDistilled) != nullptr) names.emplace_back(kBestDistilled);
  return names;
}

std::string en_vi_note() {
  return fmt::format("The paper's figures are of its en-vi dev set. {}.", kPaperUnderstatesBest);
}

ResultTable ablation_table(const Scores& scores) {
  ResultTable table{.name = "ablation",
                    .title = "What selection and L1 distance cost",
                    .columns = {"attention", "dev BLEU"},
                    .rows = {},
                    .note = en_vi_note()};
  append(table.columns, kEnergyTitles);
  table.columns.emplace_back("paper, dev BLEU");
  std::vector<std::string> names = {"vanilla", "selection", "l1", "eatt"};
  append(names, our_settings(scores));
  for (const std::string& name : names) {
    Row row = {name, scores.dev(name)};
    append(row, energy_columns(scores.find(name)));
    const auto theirs = paper::ablation(name);
    row.push_back(theirs ? two_digits(*theirs) : std::string());
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable hybrid_table(const Scores& scores) {
  ResultTable table{.name = "hybrid",
                    .title = "Mechanisms of self-attention and cross-attention",
                    .columns = {"self", "cross", "dev BLEU"},
                    .rows = {},
                    .note = en_vi_note()};
  append(table.columns, kEnergyTitles);
  table.columns.emplace_back("paper, dev BLEU");
  const auto add = [&](const std::string& self, const std::string& cross) {
    const std::string name = hybrid_name(self, cross);
    Row row = {self, cross, scores.dev(name)};
    append(row, energy_columns(scores.find(name)));
    const auto theirs = paper::hybrid(self, cross);
    row.push_back(theirs ? two_digits(*theirs) : std::string());
    table.rows.push_back(std::move(row));
  };
  for (const std::string_view self : kHybrids) {
    for (const std::string_view cross : kHybrids) add(std::string(self), std::string(cross));
  }
  for (const std::string& name : our_settings(scores)) add(name, name);
  return table;
}

// A model of the study distillation, and its figures in the paper.
struct StudentRow {
  Row words;  // Attention, what is narrower, width over the teacher's.
  std::string cell;
  std::optional<paper::Student> theirs;
};

std::vector<StudentRow> student_rows() {
  std::vector<StudentRow> rows = {
      {{"vanilla (teacher)", "", "1"}, kVanilla, paper::student(kVanilla, 0)},
      {{"eatt (no teacher)", "", "1"}, kEatt, paper::student(kEatt, 0)},
      {{kBestDistilled, "", "1"}, kBestDistilled, std::nullopt}};
  for (const char* attention : {kVanilla, kEatt}) {
    for (const Narrowed narrowed : {Narrowed::attention, Narrowed::model}) {
      const bool printed = narrowed == Narrowed::attention;
      for (int halvings = printed ? 0 : 1; halvings <= kHalvings; ++halvings) {
        rows.push_back({{attention,
                         halvings == 0 ? ""
                         : printed     ? "attention"
                                       : "model",
                         halvings == 0 ? "1" : fmt::format("1/{}", 1 << halvings)},
                        student_name(attention, narrowed, halvings),
                        printed && halvings > 0 ? std::optional(paper::student(attention, halvings))
                                                : std::nullopt});
      }
    }
  }
  return rows;
}

ResultTable distillation_table(const Scores& scores) {
  ResultTable table{
      .name = "distillation",
      .title = "Students of a vanilla teacher",
      .columns = {"attention", "narrowed", "width / teacher's", "dev BLEU",
                  "attention, paper's formulas %", "attention, exact %",
                  "µJ per sentence, whole model", "paper, dev BLEU",
                  "paper, energy of attention %"},
      .rows = {},
      .note =
          "Energy of attention is that of the model as it was trained, each for its own "
          "translations, in percent of the teacher's, on the ASIC; µJ are exact counts. The paper "
          "halves one width, its energies fit the width of attention, and its scores at full width "
          "are those of models without a teacher. Its BLEU is of its en-vi dev set. "
          "best-distilled also learned its teacher's attention."};
  const CellScores* full = scores.find(kVanilla);
  for (const StudentRow& student : student_rows()) {
    const CellScores* one = scores.find(student.cell);
    Row row = student.words;
    row.push_back(scores.dev(student.cell));
    for (const auto value : {&Microjoules::attention_paper, &Microjoules::attention_exact}) {
      const bool known = one != nullptr && full != nullptr && full->microjoules.*value > 0;
      row.push_back(known ? percent(one->microjoules.*value / full->microjoules.*value)
                          : std::string());
    }
    row.push_back(one == nullptr ? "" : two_digits(one->microjoules.model_exact));
    row.push_back(student.theirs ? two_digits(student.theirs->bleu) : "");
    row.push_back(student.theirs ? two_digits(student.theirs->energy_percent) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable table_of(StudyKind kind, const Scores& scores) {
  switch (kind) {
    case StudyKind::overall:
      return overall_table(scores);
    case StudyKind::ablation:
      return ablation_table(scores);
    case StudyKind::hybrid:
      return hybrid_table(scores);
    case StudyKind::distillation:
      return distillation_table(scores);
    case StudyKind::density:
      return density_table(scores);
    case StudyKind::case_study:
      return case_table(scores);
    case StudyKind::energy:
      return energy_table(scores);
  }
  throw InternalError("every study has a table");
}

}  // namespace

std::vector<ResultTable> result_tables(const StudyOptions& options,
                                       const std::vector<CellReport>& reports,
                                       const std::vector<CellScores>& all) {
  const Scores scores(all);
  std::vector<ResultTable> tables;
  for (const StudyKind kind : options.kinds) tables.push_back(table_of(kind, scores));
  ResultTable failed{.name = "failed",
                     .title = "Cells that failed",
                     .columns = {"cell", "why"},
                     .rows = {},
                     .note = {}};
  for (const CellReport& report : reports) {
    if (report.state == CellState::failed) failed.rows.push_back({report.cell.id(), report.error});
  }
  if (!failed.rows.empty()) tables.push_back(std::move(failed));
  return tables;
}

}  // namespace eatt::study
