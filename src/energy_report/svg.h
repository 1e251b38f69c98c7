#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eatt::energy {

struct Point {
  double x = 0;
  double y = 0;
};

// A drawing in SVG, on white. Coordinates are pixels from the upper left corner.
class Svg {
 public:
  enum class Anchor { start, middle, end };
  struct TextStyle {
    double size = 12;
    Anchor anchor = Anchor::start;
    double turned = 0;  // Degrees, clockwise.
    bool bold = false;
  };

  Svg(double width, double height);

  void rectangle(const Point& corner, double width, double height, std::string_view colour,
                 std::string_view tip = {});  // The tip shows under a mouse.
  void line(const Point& from, const Point& to, std::string_view colour, double width = 1);
  void curve(const std::vector<Point>& points, std::string_view colour, bool dashed = false);
  void dot(const Point& centre, std::string_view colour, std::string_view tip = {});
  void text(const Point& at, std::string_view text, const TextStyle& style);

  // The whole file.
  std::string file() const;

 private:
  std::string body_;
};

}  // namespace eatt::energy
