#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/progress.h"
#include "report/study_cells.h"

namespace eatt::report {
namespace {

using chart::Tone;
using study::EnergyShares;
using study::Mean;
using study::ResultTable;

Section results_section(const StudyRecord& record, const std::string& heading) {
  Section section{.title = heading + "Results beside the paper's", .blocks = {}};
  for (const ResultTable& table : record.results.tables) section.blocks.emplace_back(table);
  if (record.results.tables.empty())
    section.blocks.emplace_back(
        Paragraph{"There are no results yet; the same command continues the study."});
  return section;
}

void add_curves(const StudyRecord& record, const std::string& heading, Document& document) {
  std::vector<TrainingRun> runs;
  for (const StudyCell& cell : record.cells) {
    if (cell.run) runs.push_back(*cell.run);
  }
  if (runs.empty()) return;
  // The models that everything is compared with come first: of many runs, the first are drawn.
  std::stable_partition(runs.begin(), runs.end(), [](const TrainingRun& run) {
    return tone_of_cell(run.name.substr(0, run.name.rfind("-s"))) != Tone::first_other;
  });
  Section curves = training_curves(shown_runs(runs));
  curves.title = heading + curves.title;
  if (!curves.blocks.empty()) document.sections.push_back(std::move(curves));
}

ResultTable cell_table(const StudyRecord& record) {
  ResultTable table{.name = "cells",
                    .title = "Cells",
                    .columns = {"cell", "model", "state", "updates", "minutes", "program",
                                "processor", "SHA-256 of the weights"},
                    .rows = {},
                    .note = {}};
  for (const StudyCell& cell : record.cells) {
    table.rows.push_back({cell.id, cell.title,
                          cell.error.empty() ? cell.state : cell.state + ": " + cell.error,
                          cell.run ? format_count(cell.run->update) : std::string(),
                          cell.run ? fmt::format("{:.1f}", cell.run->seconds / 60) : std::string(),
                          cell.version, cell.cpu, cell.weights_sha256});
  }
  return table;
}

Section manifest_section(const StudyRecord& record, const std::string& heading) {
  Section section{.title = heading + "How it was made", .blocks = {}};
  section.blocks.emplace_back(ResultTable{
      .name = "manifest",
      .title = "Study",
      .columns = {"what", "value"},
      .rows = {{"command", record.command},
               {"last updated", record.date},
               {"program", record.version},
               {"processor", fmt::format("{} ({})", record.cpu, record.instruction_set)},
               {"threads", record.jobs == 1
                               ? std::to_string(record.threads)
                               : fmt::format("{} in all, shared by {} trainings at a time",
                                             record.threads, record.jobs)},
               {"seeds", std::to_string(record.seeds)},
               {"recipe", record.recipe},
               {"options of all trainings", record.train_options}},
      .note = {}});
  ResultTable files{.name = "data",
                    .title = "Data",
                    .columns = {"file", "used for", "bytes", "SHA-256"},
                    .rows = {},
                    .note = {}};
  for (const DataFile& file : record.files)
    files.rows.push_back({file.path, file.role, format_count(file.bytes), file.sha256});
  if (!files.rows.empty()) section.blocks.emplace_back(std::move(files));
  section.blocks.emplace_back(cell_table(record));
  Commands commands{.title = "Commands of all cells", .lines = {}};
  for (const StudyCell& cell : record.cells) {
    commands.lines.push_back("# " + cell.id);
    commands.lines.insert(commands.lines.end(), cell.commands.begin(), cell.commands.end());
  }
  section.blocks.emplace_back(std::move(commands));
  return section;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// "E-ATT (best) reaches 36.80 BLEU on the dev set, 0.19 less than vanilla attention. Its attention
// takes 47.0 % of the energy of vanilla's, …"
std::string main_result(const Cells& cells, const std::string& name) {
  if (cells.find(name) == nullptr) return {};
  const Mean bleu = cells.bleu(name);
  std::string text =
      fmt::format("{} reaches {} BLEU on the dev set", cells.title(name), with_deviation(bleu));
  if (cells.find(study::kVanilla) != nullptr) {
    const double more = bleu.mean - cells.bleu(study::kVanilla).mean;
    text += std::abs(more) < 0.005 ? ", the same as vanilla attention"
                                   : fmt::format(", {:.2f} {} than vanilla attention",
                                                 std::abs(more), more < 0 ? "less" : "more");
  }
  return fmt::format(
      "{}. Its attention takes {:.1f} % of the energy of vanilla's, and the whole model {:.1f} %.",
      text, cells.energy(name, &EnergyShares::attention_exact),
      cells.energy(name, &EnergyShares::model_exact));
}

std::string what_was_done(const StudyRecord& record) {
  const size_t chosen = record.cells.size() - record.cells_in("not chosen");
  const size_t done = record.cells_in("done"), failed = record.cells_in("failed");
  std::string text =
      fmt::format("The study {} compares {} with the recipe {} ({}).", record.name,
                  format_count(chosen, "training"), record.recipe, joined(record.studies));
  if (done < chosen)
    text += fmt::format(" It is unfinished: {} of {} are done{}.", done,
                        format_count(chosen, "training"),
                        failed == 0 ? "" : fmt::format(", and {} failed", failed));
  return text;
}

void add_summary(const StudyRecord& record, const std::string& heading, Document& document) {
  const Cells cells(record);
  document.summary.push_back(what_was_done(record));
  std::string result;
  for (const char* name : {study::kBestDistilled, study::kBest, study::kEatt}) {
    const std::string sentence = main_result(cells, name);
    if (!sentence.empty()) result += (result.empty() ? "" : " ") + sentence;
  }
  if (!result.empty()) document.summary.push_back(result);
  for (const char* name : {study::kVanilla, study::kEatt, study::kBest, study::kBestDistilled}) {
    if (cells.find(name) == nullptr) continue;
    document.tiles.push_back(
        {.name = heading + cells.title(name),
         .value = with_deviation(cells.bleu(name)),
         .unit = "BLEU on the dev set",
         .note = name == study::kVanilla
                     ? "energies are in percent of this model's"
                     : fmt::format(
                           "attention takes {:.1f} % of the energy of vanilla's, the whole model "
                           "{:.1f} %",
                           cells.energy(name, &EnergyShares::attention_exact),
                           cells.energy(name, &EnergyShares::model_exact)),
         .tone = tone_of_cell(name)});
  }
}

}  // namespace

Section add_study(const StudyRecord& record, const std::string& heading, Document& document) {
  add_summary(record, heading, document);
  document.sections.push_back(results_section(record, heading));
  add_chart_sections(record, heading, document);
  add_curves(record, heading, document);
  return manifest_section(record, heading);
}

}  // namespace eatt::report
