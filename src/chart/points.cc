#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/axes.h"
#include "chart/canvas.h"

namespace eatt::chart {
namespace {

constexpr double kMarkRadius = 6, kLabelSize = 12;

bool is_shown(const PointChart& chart, const Mark& mark) {
  return shows(chart.x, mark.x) && shows(chart.y, mark.y);
}

// Puts labels where nothing else is.
class Labels {
 public:
  Labels(Canvas& canvas, const Box& area) : canvas_(canvas), area_(area) {}

  // Of a mark whose error bars reach this far.
  void keep_free(const Point& mark, double up, double sideways) {
    const double y = std::max(kMarkRadius, up), x = std::max(kMarkRadius, sideways);
    taken_.push_back({mark.x - kMarkRadius, mark.y - y, mark.x + kMarkRadius, mark.y + y});
    taken_.push_back({mark.x - x, mark.y - kMarkRadius, mark.x + x, mark.y + kMarkRadius});
  }

  // Beside the mark if there is room, or else further away with a thin line to it; a label that
  // finds no room at all is left to the table.
  void add(const Point& mark, const std::string& label) {
    if (label.empty()) return;
    if (try_at({mark.x + 10, mark.y + 4}, Anchor::start, label) ||
        try_at({mark.x - 10, mark.y + 4}, Anchor::end, label) ||
        try_at({mark.x, mark.y - 10}, Anchor::middle, label) ||
        try_at({mark.x, mark.y + 19}, Anchor::middle, label)) {
      return;
    }
    for (double away = 14; away < 180; away += 7) {
      for (const double side : {14.0, -14.0, 40.0, -40.0, 80.0, -80.0}) {
        for (const double up : {-away, away}) {
          const Point at{mark.x + side, mark.y + 4 + up};
          if (!try_at(at, side > 0 ? Anchor::start : Anchor::end, label)) continue;
          canvas_.line(mark, {at.x, at.y - 4}, "axis");
          return;
        }
      }
    }
  }

 private:
  bool try_at(const Point& at, Anchor anchor, const std::string& label) {
    const double width = text_width(label, kLabelSize);
    const double left = at.x - (anchor == Anchor::start ? 0
                                : anchor == Anchor::end ? width
                                                        : width / 2);
    const Box box{left, at.y - kLabelSize + 1, left + width, at.y + 3};
    if (box.left < area_.left || box.right > area_.right || box.top < area_.top - 4 ||
        box.bottom > area_.bottom) {
      return false;
    }
    for (const Box& other : taken_) {
      if (box.overlaps(other)) return false;
    }
    taken_.push_back(box);
    canvas_.text(at, label, {.ink = "ink label", .anchor = anchor, .size = kLabelSize});
    return true;
  }

  Canvas& canvas_;
  const Box area_;
  std::vector<Box> taken_;
};

void draw_errors(const Mark& mark, const Plot& plot, std::string_view stroke, Canvas& canvas) {
  const double x = plot.x.at(mark.x), y = plot.y.at(mark.y);
  if (mark.y_error > 0) {
    const double low = plot.y.at(mark.y - mark.y_error), high = plot.y.at(mark.y + mark.y_error);
    canvas.line({x, low}, {x, high}, stroke);
    for (const double end : {low, high}) canvas.line({x - 4, end}, {x + 4, end}, stroke);
  }
  if (mark.x_error > 0) {
    const double low = plot.x.at(mark.x - mark.x_error), high = plot.x.at(mark.x + mark.x_error);
    canvas.line({low, y}, {high, y}, stroke);
    for (const double end : {low, high}) canvas.line({end, y - 4}, {end, y + 4}, stroke);
  }
}

std::string tip_of(const MarkSeries& series, const Mark& mark) {
  return fmt::format("{}{}{}: {}, {}", series.name, mark.label.empty() ? "" : ", ", mark.label,
                     number_text(mark.x), number_text(mark.y));
}

void draw_series(const PointChart& chart, const MarkSeries& series, const Plot& plot,
                 Canvas& canvas) {
  std::vector<Point> path;
  for (const Mark& mark : series.marks) {
    if (!is_shown(chart, mark)) continue;
    path.push_back({plot.x.at(mark.x), plot.y.at(mark.y)});
    draw_errors(mark, plot, name_of(series.tone), canvas);
  }
  if (series.connected) canvas.curve(path, series.tone, /*dashed=*/true);
  for (const Mark& mark : series.marks) {
    if (is_shown(chart, mark))
      canvas.disc({plot.x.at(mark.x), plot.y.at(mark.y)}, series.tone, series.hollow,
                  tip_of(series, mark));
  }
}

std::string with_error(double value, double error) {
  return error > 0 ? fmt::format("{} ± {}", number_text(value), number_text(error))
                   : number_text(value);
}

}  // namespace

Drawing draw(const PointChart& chart, double width) {
  Range x, y;
  std::vector<LegendItem> items;
  for (const MarkSeries& series : chart.series) {
    items.push_back({series.name, series.tone, series.hollow ? Swatch::circle : Swatch::disc});
    for (const Mark& mark : series.marks) {
      if (!is_shown(chart, mark)) continue;
      for (const double sign : {-1.0, 1.0}) {
        if (shows(chart.x, mark.x + sign * mark.x_error)) x.add(mark.x + sign * mark.x_error);
        y.add(mark.y + sign * mark.y_error);
      }
    }
  }
  if (y.empty()) return without_data(width);
  Drawing drawing{.canvas = {}, .width = width, .height = 0};
  const double top = draw_legend(drawing.canvas, items, width) + 10;
  const Plot plot = draw_plot(drawing, chart.x, chart.y, x, y, top);
  for (const MarkSeries& series : chart.series) draw_series(chart, series, plot, drawing.canvas);
  Labels labels(drawing.canvas, plot.area);
  const auto for_each = [&](const auto& action) {
    for (const MarkSeries& series : chart.series) {
      for (const Mark& mark : series.marks) {
        if (is_shown(chart, mark)) action(Point{plot.x.at(mark.x), plot.y.at(mark.y)}, mark);
      }
    }
  };
  for_each([&](const Point& at, const Mark& mark) {
    labels.keep_free(at, std::abs(plot.y.at(mark.y + mark.y_error) - at.y),
                     std::abs(plot.x.at(mark.x + mark.x_error) - at.x));
  });
  for_each([&](const Point& at, const Mark& mark) { labels.add(at, mark.label); });
  return drawing;
}

Table data_of(const PointChart& chart) {
  Table table{.columns = {"series", "point", chart.x.title, chart.y.title}, .rows = {}};
  for (const MarkSeries& series : chart.series) {
    for (const Mark& mark : series.marks) {
      table.rows.push_back({series.name, mark.label, with_error(mark.x, mark.x_error),
                            with_error(mark.y, mark.y_error)});
    }
  }
  return table;
}

}  // namespace eatt::chart
