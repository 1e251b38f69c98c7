#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Charts as SVG in one look: one typeface, fixed colors, light and dark. A chart is plain data; it
// can be drawn, and its numbers can be shown as a table beside it.
namespace eatt::chart {

// Colors that mean the same thing in every chart. They can be told apart by color-blind readers.
enum class Tone {
  vanilla,
  eatt,
  best,
  paper,
  first_other,
  second_other,
  third_other,
  fourth_other
};
// The color of the n-th series that has no meaning of its own; starts again after the fourth.
Tone other_tone(size_t n);
// Its class and its variable in the style sheet: "vanilla".
std::string_view name_of(Tone tone);

// What a chart says in words: screen readers read both, a file shows the title above the chart.
struct Caption {
  std::string title;
  std::string description;
};

struct Axis {
  std::string title;  // With the unit: "energy of a sentence, µJ".
  bool logarithmic = false;
  bool from_zero = false;
  // Where numbers stand, from the first end of the axis to the last; empty: at round numbers.
  std::vector<double> ticks = {};
};

struct Point {
  double x = 0;
  double y = 0;
};

// Curves over a number, such as updates. What is not finite leaves a gap at the curve's end.
struct Line {
  std::string name;
  Tone tone = Tone::first_other;
  bool dashed = false;
  std::vector<Point> points;  // By rising x.
};
struct LineChart {
  Caption caption;
  Axis x, y;
  std::vector<Line> lines;
};

// Points with labels. Errors are drawn as bars of that length to both sides; 0 for none.
struct Mark {
  double x = 0;
  double y = 0;
  double x_error = 0;
  double y_error = 0;
  std::string label;
};
struct MarkSeries {
  std::string name;
  Tone tone = Tone::first_other;
  bool hollow = false;     // Circles instead of discs, such as for figures of others.
  bool connected = false;  // By a dashed line, in their order.
  std::vector<Mark> marks;
};
struct PointChart {
  Caption caption;
  Axis x, y;
  std::vector<MarkSeries> series;
};

// Upright bars side by side: one bar of each series in every group.
struct BarSeries {
  std::string name;
  Tone tone = Tone::first_other;
  bool pale = false;                          // A lighter shade, such as for figures of others.
  std::vector<std::optional<double>> values;  // One for each group; nothing where unknown.
};
struct BarChart {
  Caption caption;
  std::string group_title;  // What the groups are: "layer, from the bottom".
  Axis y;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
};

// Lying bars, each a sum of parts: the first part in full color, the others paler and paler.
struct StackedBar {
  std::string name;
  Tone tone = Tone::first_other;
  std::vector<double> parts;  // One for each of StackedBarChart::parts.
  std::string label;          // At the bar's end: "82.6 %".
};
struct StackedBarChart {
  Caption caption;
  Axis x;
  std::vector<std::string> parts;  // "arithmetic", "memory"
  std::vector<StackedBar> bars;
};

// Words against words: the stronger the color of a cell, the larger its value. 0 is empty, `most`
// is full.
struct HeatMap {
  Caption caption;
  std::string row_title, column_title;      // "target", "source"
  std::vector<std::string> rows, columns;   // From top to bottom, from left to right.
  std::vector<std::vector<double>> values;  // [row][column]
  double most = 1;
  Tone tone = Tone::eatt;
};

using Chart = std::variant<LineChart, PointChart, BarChart, StackedBarChart, HeatMap>;

const Caption& caption_of(const Chart& chart);

// A chart's numbers as text.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
Table data_of(const Chart& chart);

// A part of an HTML page that has style_sheet(). `id` is unique in the page. The chart is as wide
// as `width` pixels, unless a heat map has too many words; the height follows.
struct Inlined {
  std::string id;
  double width = 720;
};
std::string svg_for_page(const Chart& chart, const Inlined& look);

// An SVG file of its own: a title and a paragraph, and charts below each other with their titles.
std::string svg_file(const Caption& caption, const std::vector<Chart>& charts, double width = 760);
// A file of one chart.
std::string svg_file(const Chart& chart, double width = 760);

// CSS of all charts, for a page: colors as variables on .chart and on :root, which follow
// prefers-color-scheme. Pages use the variables, too: --surface, --ink, --soft, --grid, --axis, and
// one for each tone, such as --vanilla.
std::string style_sheet();

// The typefaces of charts and of pages around them, as a value of CSS.
inline constexpr std::string_view kTypeface =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', "
    "'Noto Sans CJK SC', sans-serif";

// Text for XML and HTML: &, <, > and quotes as entities, control characters as spaces, bytes that
// are not UTF-8 as U+FFFD.
std::string escape_markup(std::string_view text);

}  // namespace eatt::chart
