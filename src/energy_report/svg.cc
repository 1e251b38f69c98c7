#include "energy_report/svg.h"

#include <fmt/format.h>

namespace eatt::energy {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // Control characters are not allowed in XML.
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

std::string title_of(std::string_view tip) {
  return tip.empty() ? "" : fmt::format("<title>{}</title>", escaped(tip));
}

std::string_view name_of(Svg::Anchor anchor) {
  return anchor == Svg::Anchor::start ? "start" : anchor == Svg::Anchor::middle ? "middle" : "end";
}

}  // namespace

Svg::Svg(double width, double height)
    : body_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
          "height=\"{1:g}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n",
          width, height)) {}

void Svg::rectangle(const Point& corner, double width, double height, std::string_view colour,
                    std::string_view tip) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">{}</rect>\n",
      corner.x, corner.y, width, height, colour, title_of(tip));
}

void Svg::line(const Point& from, const Point& to, std::string_view colour, double width) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:g}\"/>\n",
      from.x, from.y, to.x, to.y, colour, width);
}

void Svg::curve(const std::vector<Point>& points, std::string_view colour, bool dashed) {
  std::string list;
  for (const Point& point : points)
    list += fmt::format("{}{:.1f},{:.1f}", list.empty() ? "" : " ", point.x, point.y);
  body_ +=
      fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                  list, colour, dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void Svg::dot(const Point& centre, std::string_view colour, std::string_view tip) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\">{}</circle>\n",
                       centre.x, centre.y, colour, title_of(tip));
}

void Svg::text(const Point& at, std::string_view text, const TextStyle& style) {
  const std::string turned =
      style.turned == 0
          ? ""
          : fmt::format(" transform=\"rotate({:g} {:.1f} {:.1f})\"", style.turned, at.x, at.y);
  body_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\" fill=\"#222222\"{}{}>"
      "{}</text>\n",
      at.x, at.y, style.size, name_of(style.anchor), style.bold ? " font-weight=\"bold\"" : "",
      turned, escaped(text));
}

std::string Svg::file() const { return body_ + "</svg>\n"; }

}  // namespace eatt::energy
