#include "chart/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/text/utf8.h"

namespace eatt::chart {
namespace {

std::string title_of(std::string_view tip) {
  return tip.empty() ? "" : fmt::format("<title>{}</title>", escape_markup(tip));
}

std::string_view name_of(Anchor anchor) {
  return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

std::string_view dashes(bool dashed) { return dashed ? " stroke-dasharray=\"6 4\"" : ""; }

// From Hangul's letters on, most characters are as wide as they are high.
double width_of(char32_t code) {
  if (code >= 0x1100) return 1;
  if (code == 'i' || code == 'l' || code == 'j' || code == '.' || code == ',' || code == '|')
    return 0.3;
  if (code >= '0' && code <= '9') return 0.64;
  return code == 'm' || code == 'w' || (code >= 'A' && code <= 'Z') ? 0.72 : 0.56;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char c : replace_invalid_utf8(text)) {
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
      case '\'':
        result += "&#39;";
        break;
      default:
        // XML does not allow control characters.
        result += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
  }
  return result;
}

double text_width(std::string_view text, double size) {
  double sum = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character next = decode_utf8(text, at);
    sum += width_of(next.code);
    at += next.size;
  }
  return sum * size;
}

std::vector<std::string> broken_text(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (lines.empty() || text_width(lines.back() + " " + word, size) > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

void Canvas::text(const Point& at, std::string_view text, const TextStyle& style) {
  const std::string turned =
      style.turned == 0
          ? ""
          : fmt::format(" transform=\"rotate({:g} {:.1f} {:.1f})\"", style.turned, at.x, at.y);
  elements_ += fmt::format(
      "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\"{}{}>{}"
      "</text>\n",
      style.ink, at.x, at.y, style.size, name_of(style.anchor),
      style.bold ? " font-weight=\"600\"" : "", turned, escape_markup(text));
}

void Canvas::line(const Point& from, const Point& to, std::string_view stroke, bool dashed) {
  elements_ += fmt::format(
      "<line class=\"{}-line\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n",
      stroke, from.x, from.y, to.x, to.y, dashes(dashed));
}

void Canvas::curve(const std::vector<Point>& points, Tone tone, bool dashed) {
  if (points.empty()) return;
  std::string list;
  for (const Point& point : points)
    list += fmt::format("{}{:.1f},{:.1f}", list.empty() ? "" : " ", point.x, point.y);
  elements_ += fmt::format(
      "<polyline class=\"{}-line\" points=\"{}\" fill=\"none\" stroke-width=\"2\" "
      "stroke-linejoin=\"round\"{}/>\n",
      name_of(tone), list, dashes(dashed));
}

void Canvas::rectangle(const Box& box, Tone tone, double strength, std::string_view tip) {
  elements_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill-opacity=\"{:.3g}\">{}</rect>\n",
      name_of(tone), box.left, box.top, std::max(0.0, box.width()), std::max(0.0, box.height()),
      strength, title_of(tip));
}

void Canvas::blank(const Box& box) {
  elements_ += fmt::format(
      "<rect class=\"surface\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
      box.left, box.top, std::max(0.0, box.width()), std::max(0.0, box.height()));
}

void Canvas::frame(const Box& box) {
  elements_ += fmt::format(
      "<rect class=\"grid-line\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"none\"/>\n",
      box.left, box.top, box.width(), box.height());
}

void Canvas::disc(const Point& centre, Tone tone, bool hollow, std::string_view tip) {
  elements_ +=
      fmt::format("<circle class=\"{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"{}>{}</circle>\n",
                  name_of(tone), hollow ? "-line" : "", centre.x, centre.y, hollow ? "4.5" : "5",
                  hollow ? " fill=\"none\" stroke-width=\"2\"" : "", title_of(tip));
}

void Canvas::add(const Canvas& other, const Point& shift) {
  elements_ += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", shift.x, shift.y,
                           other.elements());
}

}  // namespace eatt::chart
