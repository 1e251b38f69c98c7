#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "chart/axes.h"
#include "chart/canvas.h"

namespace eatt::chart {
namespace {

bool is_shown(const LineChart& chart, const Point& point) {
  return shows(chart.x, point.x) && shows(chart.y, point.y);
}

std::vector<Point> shown_points(const LineChart& chart, const Line& line) {
  std::vector<Point> points;
  std::ranges::copy_if(line.points, std::back_inserter(points),
                       [&](const Point& point) { return is_shown(chart, point); });
  return points;
}

// Few points are marked one by one, so that a curve of one point can be seen at all.
constexpr size_t kMostMarked = 12;

void draw_line(const LineChart& chart, const Line& line, const Plot& plot, Canvas& canvas) {
  std::vector<Point> pixels;
  const std::vector<Point> points = shown_points(chart, line);
  for (const Point& point : points) pixels.push_back({plot.x.at(point.x), plot.y.at(point.y)});
  canvas.curve(pixels, line.tone, line.dashed);
  if (points.size() > kMostMarked) return;
  for (size_t i = 0; i < points.size(); ++i) {
    canvas.disc(
        pixels[i], line.tone, line.dashed,
        fmt::format("{}, {}: {}", line.name, number_text(points[i].x), number_text(points[i].y)));
  }
}

}  // namespace

Drawing draw(const LineChart& chart, double width) {
  Range x, y;
  std::vector<LegendItem> items;
  for (const Line& line : chart.lines) {
    items.push_back({line.name, line.tone, line.dashed ? Swatch::dashed_line : Swatch::line});
    for (const Point& point : shown_points(chart, line)) {
      x.add(point.x);
      y.add(point.y);
    }
  }
  if (x.empty()) return without_data(width);
  Drawing drawing{.canvas = {}, .width = width, .height = 0};
  const double top = draw_legend(drawing.canvas, items, width) + 10;
  const Plot plot = draw_plot(drawing, chart.x, chart.y, x, y, top);
  for (const Line& line : chart.lines) draw_line(chart, line, plot, drawing.canvas);
  return drawing;
}

// A row for each x, a column for each line.
Table data_of(const LineChart& chart) {
  Table table;
  table.columns.push_back(chart.x.title);
  std::set<double> all;
  for (const Line& line : chart.lines) {
    table.columns.push_back(line.name);
    for (const Point& point : shown_points(chart, line)) all.insert(point.x);
  }
  for (const double x : all) {
    table.rows.push_back({number_text(x)});
    for (const Line& line : chart.lines) {
      const auto found = std::ranges::find(line.points, x, &Point::x);
      const bool known = found != line.points.end() && is_shown(chart, *found);
      table.rows.back().push_back(known ? number_text(found->y) : "");
    }
  }
  return table;
}

}  // namespace eatt::chart
