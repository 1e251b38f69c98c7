#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "chart/axes.h"
#include "chart/canvas.h"

namespace eatt::chart {
namespace {

constexpr double kPale = 0.35;
constexpr double kBarHeight = 22, kBarStep = 34;

// Full color for the first part of a bar, then paler and paler.
double strength_of(size_t part, size_t parts) {
  return 1 - (1 - kPale) * static_cast<double>(part) /
                 static_cast<double>(std::max<size_t>(parts, 2) - 1);
}

void check(const BarChart& chart) {
  for (const BarSeries& series : chart.series)
    expects(series.values.size() == chart.groups.size(), "a series has a bar in every group");
}

void check(const StackedBarChart& chart) {
  for (const StackedBar& bar : chart.bars)
    expects(bar.parts.size() == chart.parts.size(), "a stacked bar has all parts");
}

void draw_groups(const BarChart& chart, const Box& area, const Scale& scale, Canvas& canvas) {
  const double step = area.width() / static_cast<double>(chart.groups.size());
  const double bar = std::min(36.0, 0.78 * step / static_cast<double>(chart.series.size()));
  for (size_t g = 0; g < chart.groups.size(); ++g) {
    const double middle = area.left + step * (static_cast<double>(g) + 0.5);
    double left = middle - bar * static_cast<double>(chart.series.size()) / 2;
    for (const BarSeries& series : chart.series) {
      const auto& value = series.values[g];
      if (value && std::isfinite(*value)) {
        const double at = scale.at(*value), zero = scale.at(0);
        const Box box{left + 0.5, std::min(at, zero), left + bar - 0.5, std::max(at, zero)};
        if (series.pale) canvas.blank(box);
        canvas.rectangle(
            box, series.tone, series.pale ? kPale : 1,
            fmt::format("{}, {}: {}", series.name, chart.groups[g], number_text(*value)));
      }
      left += bar;
    }
    canvas.text({middle, area.bottom + 19}, fitted_text(chart.groups[g], step),
                {.ink = "soft", .anchor = Anchor::middle});
  }
  canvas.line({area.left, scale.at(0)}, {area.right, scale.at(0)}, "axis");
}

double total(const StackedBar& bar) {
  double sum = 0;
  for (const double part : bar.parts) sum += std::isfinite(part) ? std::max(0.0, part) : 0;
  return sum;
}

// Grid lines and numbers below the bars.
void draw_lower_axis(const Axis& axis, const Box& area, const Scale& scale, Canvas& canvas) {
  for (const double value : scale.ticks().values) {
    const double x = scale.at(value);
    canvas.line({x, area.top}, {x, area.bottom}, value == 0 ? "axis" : "grid");
    canvas.text({x, area.bottom + 17}, scale.ticks().text(value),
                {.ink = "soft", .anchor = Anchor::middle});
  }
  canvas.text({(area.left + area.right) / 2, area.bottom + 38}, axis.title,
              {.anchor = Anchor::middle});
}

void draw_bar(const StackedBarChart& chart, const StackedBar& bar, const Scale& scale, double top,
              Canvas& canvas) {
  double sum = 0;
  for (size_t part = 0; part < bar.parts.size(); ++part) {
    if (!(bar.parts[part] > 0) || !std::isfinite(bar.parts[part])) continue;
    const double left = scale.at(sum), right = scale.at(sum += bar.parts[part]);
    const Box box{left, top, right, top + kBarHeight};
    if (part > 0) canvas.blank(box);
    canvas.rectangle(
        box, bar.tone, strength_of(part, bar.parts.size()),
        fmt::format("{}, {}: {}", bar.name, chart.parts[part], number_text(bar.parts[part])));
  }
  canvas.text({scale.at(sum) + 6, top + kBarHeight / 2 + 4.5}, bar.label, {.bold = true});
}

}  // namespace

Drawing draw(const BarChart& chart, double width) {
  check(chart);
  Range y;
  std::vector<LegendItem> items;
  for (const BarSeries& series : chart.series) {
    items.push_back({series.name, series.tone, Swatch::box, series.pale ? kPale : 1});
    for (const auto& value : series.values) {
      if (value) y.add(*value);
    }
  }
  if (y.empty()) return without_data(width);
  Axis axis = chart.y;
  axis.logarithmic = false;  // Bars grow from 0.
  axis.from_zero = true;
  Scale scale(axis, y);
  Drawing drawing{.canvas = {}, .width = width, .height = 0};
  const double top = draw_legend(drawing.canvas, items, width) + 10;
  const Box area =
      draw_left_axis(drawing.canvas, axis, scale, {0, top, width, top + 0.8 * plot_height(width)});
  draw_groups(chart, area, scale, drawing.canvas);
  drawing.canvas.text({(area.left + area.right) / 2, area.bottom + 40}, chart.group_title,
                      {.anchor = Anchor::middle});
  drawing.height = area.bottom + 50;
  return drawing;
}

Table data_of(const BarChart& chart) {
  check(chart);
  Table table;
  table.columns.push_back(chart.group_title);
  for (const BarSeries& series : chart.series) table.columns.push_back(series.name);
  for (size_t g = 0; g < chart.groups.size(); ++g) {
    table.rows.push_back({chart.groups[g]});
    for (const BarSeries& series : chart.series)
      table.rows.back().push_back(series.values[g] ? number_text(*series.values[g]) : "");
  }
  return table;
}

Drawing draw(const StackedBarChart& chart, double width) {
  check(chart);
  if (chart.bars.empty()) return without_data(width);
  Drawing drawing{.canvas = {}, .width = width, .height = 0};
  double y = 0;
  if (chart.parts.size() > 1) {
    std::vector<LegendItem> items;
    for (size_t part = 0; part < chart.parts.size(); ++part)
      items.push_back(
          {chart.parts[part], Tone::paper, Swatch::box, strength_of(part, chart.parts.size())});
    y = draw_legend(drawing.canvas, items, width) + 8;
  }
  Range range;
  double name_width = 0, label_width = 0;
  for (const StackedBar& bar : chart.bars) {
    range.add(total(bar));
    name_width = std::max(name_width, text_width(bar.name));
    label_width = std::max(label_width, text_width(bar.label) + 14);
  }
  // On a narrow page, names stand above their bars.
  const bool above = name_width > 0.36 * width;
  const double step = above ? kBarStep + kLineHeight : kBarStep;
  const Box area{above ? 2 : name_width + 12, y, width - label_width,
                 y + step * static_cast<double>(chart.bars.size()) + 4};
  Axis axis = chart.x;
  axis.logarithmic = false;
  axis.from_zero = true;
  Scale scale(axis, range, width < 480 ? 4 : 6);
  scale.place(area.left, area.right);
  draw_lower_axis(axis, area, scale, drawing.canvas);
  for (const StackedBar& bar : chart.bars) {
    const double top = y + (above ? kLineHeight + 4 : 8);
    drawing.canvas.text(above ? Point{area.left, top - 6} : Point{area.left - 10, top + 15.5},
                        fitted_text(bar.name, above ? width : name_width),
                        {.anchor = above ? Anchor::start : Anchor::end});
    draw_bar(chart, bar, scale, top, drawing.canvas);
    y += step;
  }
  drawing.height = area.bottom + 46;
  return drawing;
}

Table data_of(const StackedBarChart& chart) {
  check(chart);
  Table table;
  table.columns.push_back("");
  for (const std::string& part : chart.parts)
    table.columns.push_back(fmt::format("{} ({})", part, chart.x.title));
  table.columns.push_back("total");
  for (const StackedBar& bar : chart.bars) {
    table.rows.push_back({bar.name});
    for (const double part : bar.parts) table.rows.back().push_back(number_text(part));
    table.rows.back().push_back(bar.label);
  }
  return table;
}

}  // namespace eatt::chart
