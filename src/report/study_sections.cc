#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/progress.h"
#include "report/sections.h"
#include "study/cells.h"
#include "study/paper.h"

namespace eatt::report {
namespace {

using chart::Tone;
using study::CellScores;
using study::Mean;
using study::ResultTable;

// The scores of a study, by cell.
class Cells {
 public:
  explicit Cells(const StudyRecord& record) : record_(record) {}

  std::vector<std::string> names() const {  // Each once, in the order of the manifest.
    std::vector<std::string> names;
    for (const CellScores& one : record_.results.scores) {
      if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
    }
    return names;
  }
  const CellScores* find(std::string_view name) const {
    const auto found = std::ranges::find(record_.results.scores, name, &CellScores::name);
    return found == record_.results.scores.end() ? nullptr : &*found;
  }
  Mean bleu(const std::string& name) const { return mean(name, &CellScores::dev_bleu); }
  Mean mean(const std::string& name, double CellScores::*value) const {
    std::vector<double> values;
    for (const CellScores& one : record_.results.scores) {
      if (one.name == name) values.push_back(one.*value);
    }
    return study::mean_of(values);
  }
  std::string title(const std::string& name) const { return record_.title_of(name); }

 private:
  const StudyRecord& record_;
};

Tone tone_of(std::string_view cell) {
  if (cell == study::kVanilla) return Tone::vanilla;
  if (cell == study::kEatt) return Tone::eatt;
  if (cell == study::kBest || cell == study::kBestDistilled) return Tone::best;
  return Tone::first_other;
}

bool is_student(const std::string& name) { return name.starts_with("student-"); }

std::string with_deviation(const Mean& mean) {
  return mean.count > 1 ? fmt::format("{:.2f} ± {:.2f}", mean.mean, mean.deviation)
                        : fmt::format("{:.2f}", mean.mean);
}

// BLEU against the energy of attention, of all models that are as wide as the recipe says.
std::optional<chart::Chart> bleu_chart(const Cells& cells) {
  chart::PointChart chart{
      .caption =
          {"BLEU against the energy of attention",
           "Better is higher and further left. Energy is counted exactly, on the paper's ASIC, in "
           "percent of vanilla attention for the same translations. Bars are standard "
           "deviations over seeds."},
      .x = {.title = "energy of attention, % of vanilla", .from_zero = true},
      .y = {.title = "BLEU, dev set"},
      .series = {}};
  chart::MarkSeries others{.name = "other attention", .tone = Tone::first_other, .marks = {}};
  for (const std::string& name : cells.names()) {
    if (is_student(name)) continue;
    const Mean bleu = cells.bleu(name);
    const bool is_other = tone_of(name) == Tone::first_other;
    const chart::Mark mark{.x = 100 * cells.find(name)->energy.attention_exact,
                           .y = bleu.mean,
                           .y_error = bleu.deviation,
                           .label = cells.title(name)};
    if (is_other) {
      others.marks.push_back(mark);
    } else {
      chart.series.push_back({.name = cells.title(name),
                              .tone = tone_of(name),
                              .hollow = name == study::kBestDistilled,
                              .marks = {mark}});
    }
  }
  if (!others.marks.empty()) chart.series.push_back(std::move(others));
  if (chart.series.empty()) return std::nullopt;
  return chart;
}

chart::PointChart student_frame(const std::string& title) {
  return {
      .caption = {title,
                  "Better is higher and further left; lines connect students of decreasing width."},
      .x = {.title = "energy of attention, % of vanilla at full width", .logarithmic = true},
      .y = {.title = "BLEU, dev set"},
      .series = {}};
}

// The students of one attention that were narrowed in one way.
chart::MarkSeries student_series(const Cells& cells, const char* attention,
                                 study::Narrowed narrowed, double full_microjoules) {
  const bool by_attention = narrowed == study::Narrowed::attention;
  chart::MarkSeries series{.name = fmt::format("{}, narrower {}", cells.title(attention),
                                               by_attention ? "attention" : "model"),
                           .tone = tone_of(attention),
                           .hollow = !by_attention,
                           .connected = true,
                           .marks = {}};
  for (int halvings = by_attention ? 0 : 1; halvings <= study::kHalvings; ++halvings) {
    const CellScores* one = cells.find(study::student_name(attention, narrowed, halvings));
    if (one == nullptr) continue;
    series.marks.push_back({.x = 100 * one->microjoules.attention_exact / full_microjoules,
                            .y = one->dev_bleu,
                            .label = halvings == 0 ? "1" : fmt::format("1/{}", 1 << halvings)});
  }
  return series;
}

// Students by what they are and how they were narrowed, against the energy of their attention, and
// the models that had no teacher.
std::optional<Charts> student_charts(const Cells& cells) {
  const CellScores* full = cells.find(study::kVanilla);
  if (full == nullptr) return std::nullopt;
  chart::PointChart ours = student_frame("Distilled students, ours");
  for (const char* attention : {study::kVanilla, study::kEatt}) {
    for (const auto narrowed : {study::Narrowed::attention, study::Narrowed::model}) {
      auto series = student_series(cells, attention, narrowed, full->microjoules.attention_exact);
      if (!series.marks.empty()) ours.series.push_back(std::move(series));
    }
  }
  if (ours.series.empty()) return std::nullopt;
  chart::MarkSeries plain{.name = "no teacher", .tone = Tone::first_other, .marks = {}};
  for (const char* attention : {study::kVanilla, study::kEatt}) {
    if (const CellScores* one = cells.find(attention))
      plain.marks.push_back(
          {.x = 100 * one->microjoules.attention_exact / full->microjoules.attention_exact,
           .y = one->dev_bleu,
           .label = cells.title(attention)});
  }
  ours.series.push_back(std::move(plain));
  chart::PointChart theirs = student_frame("Distilled students, the paper's (en-vi)");
  for (const char* attention : {study::kVanilla, study::kEatt}) {
    chart::MarkSeries series{
        .name = cells.title(attention), .tone = tone_of(attention), .connected = true, .marks = {}};
    for (int halvings = 0; halvings <= study::kHalvings; ++halvings) {
      const auto one = study::paper::student(attention, halvings);
      series.marks.push_back({.x = one.energy_percent,
                              .y = one.bleu,
                              .label = halvings == 0 ? "1" : fmt::format("1/{}", 1 << halvings)});
    }
    theirs.series.push_back(std::move(series));
  }
  return Charts{{std::move(ours), std::move(theirs)}};
}

chart::BarChart density_chart(const std::string& title,
                              const std::vector<std::vector<double>>& rows,
                              const std::string& key_text) {
  size_t layers = 0;
  for (const auto& row : rows) layers = std::max(layers, row.size());
  chart::BarChart chart;
  chart.caption = {title, key_text};
  chart.group_title = "layer, from the bottom";
  chart.y.title = "rows added, % of the features";
  for (const char* role : {"encoder self", "decoder self", "cross, query"})
    chart.series.push_back({role, chart::other_tone(chart.series.size()), false, {}});
  for (size_t layer = 1; layer <= layers; ++layer) chart.groups.push_back(std::to_string(layer));
  for (size_t role = 0; role < rows.size(); ++role) {
    for (size_t layer = 0; layer < layers; ++layer)
      chart.series[role].values.push_back(
          layer < rows[role].size() ? std::optional(rows[role][layer]) : std::nullopt);
  }
  return chart;
}

std::vector<double> percents(std::vector<double> shares) {
  for (double& share : shares) share *= 100;
  return shares;
}

// Ours, model by model, beside the paper's figure.
std::optional<Charts> density_charts(const Cells& cells) {
  Charts charts;
  for (const char* name : {study::kEatt, study::kBest}) {
    const CellScores* one = cells.find(name);
    if (one == nullptr || !one->densities.any()) continue;
    const auto& densities = one->densities;
    charts.charts.push_back(density_chart(
        fmt::format("Density of codes: {}, ours", cells.title(name)),
        {percents(densities.encoder_self), percents(densities.decoder_self),
         percents(densities.cross_query)},
        densities.cross_key
            ? fmt::format("Keys of cross-attention: {:.1f} %.", 100 * *densities.cross_key)
            : ""));
  }
  if (charts.charts.empty()) return std::nullopt;
  using study::paper::density;
  charts.charts.push_back(density_chart(
      "Density of codes: the paper's E-ATT",
      {density("enc-self"), density("dec-self"), density("cross-query")},
      fmt::format("Keys of cross-attention: {:.1f} %.", study::paper::kCrossKeyDensity)));
  return charts;
}

// Energy by level, for the models that have no vanilla attention.
std::optional<chart::Chart> energy_chart(const Cells& cells) {
  chart::BarChart chart;
  chart.caption = {"Energy by part of the model",
                   "Exact counts of arithmetic on the paper's ASIC; vanilla attention is 100 %."};
  chart.group_title = "part of the model";
  chart.y.title = "% of vanilla";
  chart.groups = {"alignment", "attention", "whole model"};
  for (const char* name : {study::kVanilla, study::kEatt, study::kBest}) {
    const CellScores* one = cells.find(name);
    if (one == nullptr) continue;
    chart.series.push_back({cells.title(name),
                            tone_of(name),
                            false,
                            {100 * one->energy.alignment_exact, 100 * one->energy.attention_exact,
                             100 * one->energy.model_exact}});
  }
  if (!cells.find(study::kEatt) && !cells.find(study::kBest)) return std::nullopt;
  return chart;
}

Section results_section(const StudyRecord& record, const std::string& heading) {
  Section section{.title = heading + "Results beside the paper's", .blocks = {}};
  for (const ResultTable& table : record.results.tables) section.blocks.emplace_back(table);
  if (record.results.tables.empty())
    section.blocks.emplace_back(
        Paragraph{"There are no results yet; the same command continues the study."});
  return section;
}

void add_chart_sections(const StudyRecord& record, const std::string& heading, Document& document) {
  const Cells cells(record);
  Section energy{.title = heading + "BLEU and energy", .blocks = {}};
  if (auto chart = bleu_chart(cells)) energy.blocks.emplace_back(Charts{{std::move(*chart)}});
  if (auto chart = energy_chart(cells)) energy.blocks.emplace_back(Charts{{std::move(*chart)}});
  if (auto charts = student_charts(cells)) energy.blocks.emplace_back(std::move(*charts));
  if (!energy.blocks.empty()) document.sections.push_back(std::move(energy));
  if (auto charts = density_charts(cells))
    document.sections.push_back({heading + "Density by layer and role", {std::move(*charts)}});
}

void add_curves(const StudyRecord& record, const std::string& heading, Document& document) {
  std::vector<TrainingRun> runs;
  for (const StudyCell& cell : record.cells) {
    if (cell.run) runs.push_back(*cell.run);
  }
  if (runs.empty()) return;
  // The models that everything is compared with come first: of many runs, the first are drawn.
  std::stable_partition(runs.begin(), runs.end(), [](const TrainingRun& run) {
    return tone_of(run.name.substr(0, run.name.rfind("-s"))) != Tone::first_other;
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
  const CellScores* one = cells.find(name);
  if (one == nullptr) return {};
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
      text, 100 * one->energy.attention_exact, 100 * one->energy.model_exact);
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
    const CellScores* one = cells.find(name);
    if (one == nullptr) continue;
    document.tiles.push_back(
        {.name = heading + cells.title(name),
         .value = with_deviation(cells.bleu(name)),
         .unit = "BLEU on the dev set",
         .note = name == study::kVanilla
                     ? "energies are in percent of this model's"
                     : fmt::format(
                           "attention takes {:.1f} % of the energy of vanilla's, the whole model "
                           "{:.1f} %",
                           100 * one->energy.attention_exact, 100 * one->energy.model_exact),
         .tone = tone_of(name)});
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
