#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "report/study_cells.h"
#include "study/paper.h"

namespace eatt::report {
namespace {

using chart::Tone;
using study::CellScores;
using study::EnergyShares;
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
    const chart::Mark mark{.x = cells.energy(name, &EnergyShares::attention_exact),
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

// Shares in percent by layer, of encoder and decoder self-attention and of queries and keys of
// cross-attention; all layers have the keys' codes in common.
using DensityBars = std::array<std::vector<double>, 4>;

constexpr std::array<const char*, 4> kDensityNames = {"encoder self", "decoder self",
                                                      "cross, query", "cross, key"};

DensityBars bars_of(const study::DensityRows& densities) {
  const auto percents = [](std::vector<double> shares) {
    for (double& share : shares) share *= 100;
    return shares;
  };
  DensityBars bars = {percents(densities.encoder_self),
                      percents(densities.decoder_self),
                      percents(densities.cross_query),
                      {}};
  if (densities.cross_key) bars[3].assign(bars[2].size(), 100 * *densities.cross_key);
  return bars;
}

DensityBars bars_of_paper() {
  using study::paper::density;
  const auto& query = density("cross-query");
  return {density("enc-self"), density("dec-self"), query,
          std::vector<double>(query.size(), study::paper::kCrossKeyDensity)};
}

double highest_of(const DensityBars& bars) {
  double most = 0;
  for (const auto& row : bars) {
    for (const double value : row) most = std::max(most, value);
  }
  return most;
}

// "encoder self 1.7 to 3.9 %; decoder self 8.2 to 17.6 %; …"
std::string spans_of(const DensityBars& bars) {
  std::string text;
  for (size_t role = 0; role < bars.size(); ++role) {
    if (bars[role].empty()) continue;
    const auto [low, high] = std::ranges::minmax(bars[role]);
    text += fmt::format("{}{} {:.1f}", text.empty() ? "" : "; ", kDensityNames[role], low);
    text += low == high ? " %" : fmt::format(" to {:.1f} %", high);
  }
  return text;
}

chart::BarChart density_chart(const std::string& title, const DensityBars& bars, double highest) {
  chart::BarChart chart;
  chart.caption = {title, fmt::format("Rows that the codes select, by layer: {}. All layers of "
                                      "cross-attention share the codes of their keys.",
                                      spans_of(bars))};
  chart.group_title = "layer, from the bottom";
  chart.y.title = "rows selected, % of the features";
  const double step = highest > 60 ? 20 : 10;
  for (double tick = 0; tick < highest + step; tick += step) chart.y.ticks.push_back(tick);
  size_t layers = 0;
  for (const auto& row : bars) layers = std::max(layers, row.size());
  for (size_t layer = 1; layer <= layers; ++layer) chart.groups.push_back(std::to_string(layer));
  for (size_t role = 0; role < bars.size(); ++role) {
    chart::BarSeries series{kDensityNames[role], chart::other_tone(role), false, {}};
    for (size_t layer = 0; layer < layers; ++layer)
      series.values.push_back(layer < bars[role].size() ? std::optional(bars[role][layer])
                                                        : std::nullopt);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// Ours, model by model, beside the paper's figure, all on one scale.
std::optional<Charts> density_charts(const Cells& cells) {
  std::vector<std::pair<std::string, DensityBars>> all;
  for (const char* name : {study::kEatt, study::kBest, study::kBestDistilled}) {
    const CellScores* one = cells.find(name);
    if (one == nullptr || !one->densities.any()) continue;
    all.emplace_back(fmt::format("Density of codes: {}, our training", cells.title(name)),
                     bars_of(one->densities));
  }
  if (all.empty()) return std::nullopt;
  all.emplace_back("Density of codes: E-ATT, figures in the paper", bars_of_paper());
  double highest = 0;
  for (const auto& [title, bars] : all) highest = std::max(highest, highest_of(bars));
  Charts charts;
  for (const auto& [title, bars] : all)
    charts.charts.push_back(density_chart(title, bars, highest));
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
    if (cells.find(name) == nullptr) continue;
    chart.series.push_back({cells.title(name),
                            tone_of_cell(name),
                            name == study::kBestDistilled,
                            {cells.energy(name, &EnergyShares::alignment_exact),
                             cells.energy(name, &EnergyShares::attention_exact),
                             cells.energy(name, &EnergyShares::model_exact)}});
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
