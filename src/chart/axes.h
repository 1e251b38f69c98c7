#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chart/canvas.h"

// What charts with numbers on their axes share.
namespace eatt::chart {

// Smallest and largest of the numbers that were added; numbers that are not finite are left out.
class Range {
 public:
  void add(double value);
  bool empty() const { return count_ == 0; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = 0, high_ = 0;
  size_t count_ = 0;
};

// Round numbers that cover a range; at least two.
struct Ticks {
  std::vector<double> values;
  int digits = 0;  // Behind the decimal point; below 0: as many as each number needs.

  std::string text(double value) const;
};
// In about `count` steps of 1, 2 or 5 times a power of ten.
Ticks linear_ticks(double low, double high, int count = 5);
// 1, 2 and 5 times powers of ten, or powers of ten alone if those are many. `low` must be above 0.
Ticks log_ticks(double low, double high);

// Digits that suit a number in a table: 4 that matter, thousands separated.
std::string number_text(double value);

// Numbers of an axis to pixels.
class Scale {
 public:
  // Of a logarithmic axis, numbers that are not above 0 must have been left out of the range.
  Scale(const Axis& axis, const Range& range, int count = 5);
  // Puts the ends of the ticks at these pixels.
  void place(double from, double to) { from_ = from, to_ = to; }

  double at(double value) const;
  const Ticks& ticks() const { return ticks_; }

 private:
  bool logarithmic_;
  Ticks ticks_;
  double from_ = 0, to_ = 1;
};

// Whether an axis can show a number.
bool shows(const Axis& axis, double value);

enum class Swatch { box, line, dashed_line, disc, circle };
struct LegendItem {
  std::string name;
  Tone tone = Tone::first_other;
  Swatch swatch = Swatch::box;
  double strength = 1;  // Of a box.
};
// Draws the items from left to right, in as many lines as they need, and returns the y below them.
double draw_legend(Canvas& canvas, const std::vector<LegendItem>& items, double width);

// A plot with both axes drawn: titles, grid and tick labels. `top` is where it may begin.
struct Plot {
  Box area;
  Scale x, y;
};
Plot draw_plot(Drawing& drawing, const Axis& x_axis, const Axis& y_axis, const Range& x,
               const Range& y, double top);
// The left axis alone: its title above, lines across the area, numbers to the left. Returns the
// area, whose right and bottom are given.
Box draw_left_axis(Canvas& canvas, const Axis& axis, Scale& scale, const Box& room);

// A drawing that says that there is nothing to draw.
Drawing without_data(double width);

// The text, or as much of its beginning as fits into so many pixels, with "…".
std::string fitted_text(const std::string& text, double width);

// The height of a plot's area for a chart of this width.
double plot_height(double width);

}  // namespace eatt::chart
