#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chart/chart.h"

namespace eatt::chart {

inline constexpr double kTextSize = 13;
inline constexpr double kLineHeight = 18;

enum class Anchor { start, middle, end };

struct TextStyle {
  std::string_view ink = "ink";  // Classes of the style sheet: "ink", "soft", "ink label".
  Anchor anchor = Anchor::start;
  double size = kTextSize;
  bool bold = false;
  double turned = 0;  // Degrees, clockwise.
};

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Pixels that text takes, roughly: letters have half the size, Chinese characters all of it.
double text_width(std::string_view text, double size = kTextSize);
// The text broken at spaces into lines of at most `width` pixels; a longer word has its own line.
std::vector<std::string> broken_text(std::string_view text, double width, double size = kTextSize);

// What is drawn so far, as SVG elements. Colors are classes of the style sheet. `tip` is shown when
// the pointer rests on an element; empty for none.
class Canvas {
 public:
  void text(const Point& at, std::string_view text, const TextStyle& style = {});
  void line(const Point& from, const Point& to, std::string_view stroke, bool dashed = false);
  void curve(const std::vector<Point>& points, Tone tone, bool dashed);
  // `strength` is the opacity, from 0 to 1.
  void rectangle(const Box& box, Tone tone, double strength, std::string_view tip = {});
  void blank(const Box& box);  // Hides what is below, such as the grid.
  void frame(const Box& box);  // An outline in the color of the grid.
  void disc(const Point& centre, Tone tone, bool hollow, std::string_view tip = {});
  // Another drawing, shifted to the right and down.
  void add(const Canvas& other, const Point& shift);

  const std::string& elements() const { return elements_; }

 private:
  std::string elements_;
};

// A chart without its title, from (0, 0) to (width, height).
struct Drawing {
  Canvas canvas;
  double width = 0;
  double height = 0;
};
Drawing draw(const LineChart& chart, double width);
Drawing draw(const PointChart& chart, double width);
Drawing draw(const BarChart& chart, double width);
Drawing draw(const StackedBarChart& chart, double width);
Drawing draw(const HeatMap& chart, double width);

Table data_of(const LineChart& chart);
Table data_of(const PointChart& chart);
Table data_of(const BarChart& chart);
Table data_of(const StackedBarChart& chart);
Table data_of(const HeatMap& chart);

}  // namespace eatt::chart
