#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/study_cells.h"
#include "study/paper.h"

namespace eatt::report {
namespace {

using chart::Tone;
using study::CellScores;
using study::Mean;

bool is_student(const std::string& name) { return name.starts_with("student-"); }

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
    const bool is_other = tone_of_cell(name) == Tone::first_other;
    const chart::Mark mark{.x = 100 * cells.find(name)->energy.attention_exact,
                           .y = bleu.mean,
                           .y_error = bleu.deviation,
                           .label = cells.title(name)};
    if (is_other) {
      others.marks.push_back(mark);
    } else {
      chart.series.push_back({.name = cells.title(name),
                              .tone = tone_of_cell(name),
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
                           .tone = tone_of_cell(attention),
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
    chart::MarkSeries series{.name = cells.title(attention),
                             .tone = tone_of_cell(attention),
                             .connected = true,
                             .marks = {}};
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
  for (const char* name : {study::kEatt, study::kBest, study::kBestDistilled}) {
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
  for (const char* name : {study::kVanilla, study::kEatt, study::kBest, study::kBestDistilled}) {
    const CellScores* one = cells.find(name);
    if (one == nullptr) continue;
    chart.series.push_back({cells.title(name),
                            tone_of_cell(name),
                            name == study::kBestDistilled,
                            {100 * one->energy.alignment_exact, 100 * one->energy.attention_exact,
                             100 * one->energy.model_exact}});
  }
  if (!cells.find(study::kEatt) && !cells.find(study::kBest)) return std::nullopt;
  return chart;
}

}  // namespace

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

}  // namespace eatt::report
