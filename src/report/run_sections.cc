#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/progress.h"
#include "base/sha256.h"
#include "chart/chart.h"
#include "report/sections.h"

namespace eatt::report {
namespace {

namespace fs = std::filesystem;
using chart::Point;
using chart::Tone;
using study::ResultTable;

constexpr size_t kMostLines = 8;     // In a chart of curves.
constexpr size_t kMostSpoken = 3;    // Whose ends the description names.
constexpr size_t kMostPoints = 240;  // Of a curve.
constexpr size_t kMostTiles = 6;
constexpr size_t kMostMaps = 12;
constexpr char kBinaryCodes[] = "E-ATT, binary codes", kSignedCodes[] = "E-ATT, signed codes";

bool has_signed_codes(const TrainingRun& run) {
  const std::string levels = run.setting("code-levels");
  return levels == "preset" ? run.setting("preset") == "best" : !levels.empty() && levels != "0";
}

// The mechanism of a role: its own setting, or that of all.
std::string mechanism_of(const TrainingRun& run, const char* role) {
  const std::string own = run.setting(role);
  return own.empty() ? run.setting("attention") : own;
}

// By the name of a model or of its folder, whose last part may be a run's `best` or `last`.
Tone tone_of_name(const std::string& name) {
  const fs::path path = name;
  const bool is_bundle =
      path.has_parent_path() && (path.filename() == "best" || path.filename() == "last");
  const std::string own = (is_bundle ? path.parent_path().filename() : path.filename()).string();
  if (own.find("vanilla") != own.npos) return Tone::vanilla;
  return own.find("best") != own.npos ? Tone::best : Tone::eatt;
}

// By the words of attention_of().
std::optional<Tone> tone_of_attention(const std::string& attention) {
  if (attention == "vanilla") return Tone::vanilla;
  if (attention == kSignedCodes) return Tone::best;
  if (attention == kBinaryCodes) return Tone::eatt;
  return std::nullopt;
}

Tone tone_of(const TrainingRun& run, size_t& others) {
  const auto tone = tone_of_attention(attention_of(run));
  return tone ? *tone : chart::other_tone(others++);
}

Tone tone_of_map(const Alignment& alignment) {
  if (alignment.attention.empty()) return tone_of_name(alignment.model);
  return tone_of_attention(alignment.attention).value_or(Tone::first_other);
}

// Every k-th point, and the last one.
std::vector<Point> thinned(const std::vector<Point>& points) {
  const size_t step = points.size() / kMostPoints + 1;
  std::vector<Point> result;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i % step == 0 || i + 1 == points.size()) result.push_back(points[i]);
  }
  return result;
}

using Curve = std::vector<Point> TrainingRun::*;

chart::LineChart curves(const std::vector<ShownRun>& runs, Curve curve, chart::Caption caption,
                        std::string y_title) {
  chart::LineChart chart{.caption = std::move(caption),
                         .x = {.title = "update"},
                         .y = {.title = std::move(y_title)},
                         .lines = {}};
  std::string ends;
  for (const ShownRun& one : runs) {
    const std::vector<Point>& points = one.run->*curve;
    if (points.empty()) continue;
    ends += fmt::format("{}{} {:.3f} at update {}", ends.empty() ? "" : "; ", one.name,
                        points.back().y, format_count(static_cast<uint64_t>(points.back().x)));
    if (chart.lines.size() < kMostLines)
      chart.lines.push_back({one.name, one.tone, one.dashed, thinned(points)});
  }
  if (runs.size() > kMostLines)
    chart.caption.description += fmt::format(" The first {} runs are drawn.", kMostLines);
  else if (!ends.empty() && chart.lines.size() <= kMostSpoken)
    chart.caption.description += " At the end: " + ends + ".";
  return chart;
}

std::string text_of(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : std::string();
}

std::string text_of(const std::optional<uint64_t>& value) {
  return value ? format_count(*value) : std::string();
}

ResultTable results_table(const std::vector<ShownRun>& runs) {
  ResultTable table{.name = "runs",
                    .title = "Results of the runs",
                    .columns = {"run", "attention", "state", "updates", "best at update",
                                "dev cross-entropy", "dev BLEU", "minutes"},
                    .rows = {},
                    .note =
                        "Cross-entropy in nats per piece and BLEU are those of the best "
                        "validation on the dev set, as training logged them."};
  for (const ShownRun& one : runs) {
    const TrainingRun& run = *one.run;
    table.rows.push_back({one.name, attention_of(run), state_of(run), format_count(run.update),
                          text_of(run.best_update), text_of(run.best_cross_entropy, 4),
                          text_of(run.best_bleu, 2), fmt::format("{:.1f}", run.seconds / 60)});
  }
  return table;
}

// The settings that are not the same in all runs.
std::optional<ResultTable> differences_table(const std::vector<ShownRun>& runs) {
  ResultTable table{.name = "differences",
                    .title = "Settings that differ",
                    .columns = {"setting"},
                    .rows = {},
                    .note = "All other settings are the same in all runs."};
  for (const ShownRun& one : runs) table.columns.push_back(one.name);
  for (const auto& [key, value] : runs.front().run->settings) {
    std::vector<std::string> row = {key};
    for (const ShownRun& one : runs) row.push_back(one.run->setting(key));
    if (std::ranges::any_of(row.begin() + 1, row.end(),
                            [&](const std::string& cell) { return cell != row[1]; }))
      table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

// What is known of a run besides its results, by what it is.
std::vector<std::pair<std::string, std::string>> facts_of(const TrainingRun& run) {
  std::vector<std::pair<std::string, std::string>> facts = {{"folder", run.path.string()},
                                                            {"seed", run.setting("seed")},
                                                            {"parameters", text_of(run.parameters)},
                                                            {"training pairs", text_of(run.pairs)},
                                                            {"threads", text_of(run.threads)}};
  facts.insert(facts.end(), run.data.begin(), run.data.end());
  const fs::path weights = run.path / "best" / "model.safetensors";
  facts.emplace_back("SHA-256 of the best weights",
                     fs::exists(weights) ? sha256_of_file(weights) : std::string());
  return facts;
}

ResultTable manifest_table(const std::vector<ShownRun>& runs) {
  ResultTable table{
      .name = "manifest", .title = "Data and machine", .columns = {"what"}, .rows = {}, .note = {}};
  for (size_t i = 0; i < runs.size(); ++i) {
    table.columns.push_back(runs[i].name);
    for (const auto& [what, value] : facts_of(*runs[i].run)) {
      auto row =
          std::ranges::find_if(table.rows, [&what = what](const auto& r) { return r[0] == what; });
      if (row == table.rows.end()) row = table.rows.insert(row, {what});
      row->resize(i + 1);  // Runs before this one that do not say it.
      row->push_back(value);
    }
  }
  for (auto& row : table.rows) row.resize(runs.size() + 1);
  std::erase_if(table.rows, [](const auto& row) {
    return std::ranges::all_of(row.begin() + 1, row.end(), &std::string::empty);
  });
  return table;
}

Tile tile_of(const ShownRun& one) {
  const TrainingRun& run = *one.run;
  Tile tile{.name = one.name, .value = {}, .unit = {}, .note = {}, .tone = one.tone};
  if (run.best_bleu) {
    tile.value = text_of(run.best_bleu, 2);
    tile.unit = "BLEU on the dev set";
  } else if (run.best_cross_entropy) {
    tile.value = text_of(run.best_cross_entropy, 3);
    tile.unit = "dev cross-entropy, nats per piece";
  } else {
    tile.value = "–";
    tile.unit = "not validated yet";
  }
  tile.note = fmt::format("{}; {}", attention_of(run), state_of(run));
  return tile;
}

// "vanilla-s1 has the highest BLEU on the dev set, 36.99; eatt-s1 has 36.10."
std::string comparison(const std::vector<ShownRun>& runs) {
  const auto has_bleu = [](const ShownRun& one) { return one.run->best_bleu.has_value(); };
  const bool by_bleu = std::ranges::all_of(runs, has_bleu);
  const auto score = [&](const ShownRun& one) {
    return by_bleu ? one.run->best_bleu : one.run->best_cross_entropy;
  };
  std::vector<ShownRun> scored;
  std::ranges::copy_if(runs, std::back_inserter(scored),
                       [&](const ShownRun& one) { return score(one).has_value(); });
  if (scored.empty()) return {};
  std::ranges::stable_sort(scored, [&](const ShownRun& a, const ShownRun& b) {
    return by_bleu ? *score(a) > *score(b) : *score(a) < *score(b);
  });
  const int digits = by_bleu ? 2 : 3;
  const char* what = by_bleu ? "BLEU" : "cross-entropy";
  if (scored.size() == 1)
    return fmt::format("{} reaches {} {} on the dev set.", scored[0].name,
                       text_of(score(scored[0]), digits), what);
  std::string text =
      fmt::format("{} has the {} {} on the dev set, {}", scored[0].name,
                  by_bleu ? "highest" : "lowest", what, text_of(score(scored[0]), digits));
  for (size_t i = 1; i < scored.size(); ++i)
    text += fmt::format("{} {} {}", i == 1 ? ";" : ",", scored[i].name,
                        (i == 1 ? "has " : "") + text_of(score(scored[i]), digits));
  return text + ".";
}

}  // namespace

std::string attention_of(const TrainingRun& run) {
  const std::string encoder = mechanism_of(run, "encoder-self"),
                    decoder = mechanism_of(run, "decoder-self"), cross = mechanism_of(run, "cross");
  if (encoder.empty()) return "attention unknown";
  if (encoder == decoder && encoder == cross) {
    if (encoder != "eatt") return encoder;
    return has_signed_codes(run) ? kSignedCodes : kBinaryCodes;
  }
  return encoder == decoder
             ? fmt::format("{} self, {} cross", encoder, cross)
             : fmt::format("{} encoder, {} decoder, {} cross", encoder, decoder, cross);
}

std::string state_of(const TrainingRun& run) {
  switch (run.state) {
    case RunState::finished:
      return "finished";
    case RunState::stopped:
      return fmt::format("stopped after {}", format_count(run.update, "update"));
    case RunState::unfinished:
      break;
  }
  return fmt::format("unfinished, {} so far", format_count(run.update, "update"));
}

std::vector<ShownRun> shown_runs(const std::vector<TrainingRun>& runs) {
  std::map<std::string, int> names;
  for (const TrainingRun& run : runs) ++names[run.name];
  std::map<Tone, int> tones;
  std::vector<ShownRun> shown;
  size_t others = 0;
  for (const TrainingRun& run : runs) {
    ShownRun one{.run = &run, .name = run.name, .tone = tone_of(run, others)};
    if (names[run.name] > 1)  // Two folders of the same name: with the folder above.
      one.name = (run.path.parent_path().filename() / run.name).string();
    // The third run with the same attention gets a color of its own.
    if (tones[one.tone] >= 2) one.tone = chart::other_tone(others++);
    one.dashed = tones[one.tone]++ > 0;
    shown.push_back(std::move(one));
  }
  return shown;
}

Section training_curves(const std::vector<ShownRun>& runs) {
  const auto has = [&](Curve curve) {
    return std::ranges::any_of(runs,
                               [&](const ShownRun& one) { return !(one.run->*curve).empty(); });
  };
  Charts charts;
  if (has(&TrainingRun::loss)) {
    charts.charts.push_back(
        curves(runs, &TrainingRun::loss,
               {"Training loss", "Mean loss per piece, with label smoothing, by update."},
               "loss, nats per piece"));
  }
  if (has(&TrainingRun::dev_cross_entropy)) {
    charts.charts.push_back(curves(runs, &TrainingRun::dev_cross_entropy,
                                   {"Dev cross-entropy", "Lower is better."},
                                   "cross-entropy, nats per piece"));
  }
  if (has(&TrainingRun::dev_bleu)) {
    charts.charts.push_back(
        curves(runs, &TrainingRun::dev_bleu, {"Dev BLEU", "Higher is better."}, "BLEU"));
  }
  Section section{.title = "Training curves", .blocks = {}};
  if (!charts.charts.empty()) section.blocks.emplace_back(std::move(charts));
  return section;
}

Section alignment_section(const std::vector<Alignment>& alignments) {
  Section section{.title = "Alignments", .blocks = {}};
  if (alignments.size() > kMostMaps) {
    section.blocks.emplace_back(Paragraph{fmt::format("The first {} of {} are drawn.", kMostMaps,
                                                      format_count(alignments.size(), "map"))});
  }
  Charts charts;
  std::map<std::string, size_t> numbers;  // Of each model's sentences.
  for (size_t i = 0; i < std::min(alignments.size(), kMostMaps); ++i) {
    const Alignment& one = alignments[i];
    charts.charts.push_back(chart::HeatMap{
        .caption =
            {fmt::format("{}, sentence {}", one.model, ++numbers[one.model]),
             fmt::format(
                 "Weight of each source word for each of {}: the stronger the color, the more.",
                 format_count(one.target.size(), "target word"))},
        .row_title = "target",
        .column_title = "source",
        .rows = one.target,
        .columns = one.source,
        .values = one.weights,
        .tone = tone_of_map(one)});
  }
  section.blocks.emplace_back(std::move(charts));
  return section;
}

Section add_runs(const std::vector<TrainingRun>& runs, Document& document) {
  const std::vector<ShownRun> shown = shown_runs(runs);
  const auto unfinished = std::ranges::count_if(
      runs, [](const TrainingRun& run) { return run.state != RunState::finished; });
  std::string summary =
      runs.size() == 1 ? fmt::format("{} is a training run ({}; {}).", shown[0].name,
                                     attention_of(runs[0]), state_of(runs[0]))
                       : fmt::format("{} are compared.", format_count(runs.size(), "training run"));
  if (runs.size() > 1 && unfinished > 0)
    summary +=
        fmt::format(" {} of them {} not finished.", unfinished, unfinished == 1 ? "is" : "are");
  document.summary.push_back(summary);
  if (const std::string result = comparison(shown); !result.empty())
    document.summary.push_back(result);
  for (size_t i = 0; i < std::min(shown.size(), kMostTiles); ++i)
    document.tiles.push_back(tile_of(shown[i]));
  Section results{.title = runs.size() == 1 ? "The run" : "Runs side by side", .blocks = {}};
  results.blocks.emplace_back(results_table(shown));
  if (auto table = runs.size() > 1 ? differences_table(shown) : std::nullopt)
    results.blocks.emplace_back(std::move(*table));
  document.sections.push_back(std::move(results));
  document.sections.push_back(training_curves(shown));
  Section manifest{.title = "How the runs were made", .blocks = {}};
  manifest.blocks.emplace_back(manifest_table(shown));
  for (const ShownRun& one : shown) {
    Commands settings{.title = fmt::format("All settings of {}", one.name), .lines = {}};
    for (const auto& [key, value] : one.run->settings)
      settings.lines.push_back(fmt::format("{} = {}", key, value.empty() ? "\"\"" : value));
    if (!settings.lines.empty()) manifest.blocks.emplace_back(std::move(settings));
  }
  return manifest;
}

}  // namespace eatt::report
