#include "chart/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chart/canvas.h"

namespace eatt::chart {
namespace {

struct Color {
  std::string_view name, light, dark;
};

constexpr std::array<Color, 5> kInks = {{{"surface", "#ffffff", "#12161d"},
                                         {"ink", "#1c2330", "#e9edf4"},
                                         {"soft", "#565f70", "#a9b3c3"},
                                         {"grid", "#e2e6ed", "#2b323e"},
                                         {"axis", "#8b94a5", "#6d7789"}}};

// After Okabe and Ito, with enough contrast to the surface; in the order of Tone.
constexpr std::array<Color, 8> kTones = {{{"vanilla", "#0072b2", "#5bb3e8"},
                                          {"eatt", "#d55e00", "#ff9248"},
                                          {"best", "#00845f", "#3ccf9f"},
                                          {"paper", "#6f7888", "#95a0b2"},
                                          {"other-1", "#a64d83", "#e79cc6"},
                                          {"other-2", "#a67600", "#f0c04a"},
                                          {"other-3", "#4b3fa7", "#aea3f7"},
                                          {"other-4", "#6b4a3a", "#cda892"}}};

constexpr double kTitleSize = 17, kHeadingSize = 14, kMargin = 24, kBetweenCharts = 30;

std::string variables(std::string_view selector, std::string_view Color::*shade) {
  std::string text = fmt::format("{}{{", selector);
  for (const Color& color : kInks) text += fmt::format("--{}:{};", color.name, color.*shade);
  for (const Color& color : kTones) text += fmt::format("--{}:{};", color.name, color.*shade);
  return text + "}";
}

// The plain color first: programs that know no variables (rsvg-convert) take that.
void append_rule(std::string& text, std::string_view selector, const char* property,
                 const Color& color) {
  text += fmt::format(".chart {}{{{}:{};{}:var(--{})}}\n", selector, property, color.light,
                      property, color.name);
}

std::string rules() {
  std::string text = fmt::format(".chart text{{font-family:{}}}\n", kTypeface);
  // Lines that a label crosses do not run through its letters.
  text += ".chart .label{paint-order:stroke;stroke:#fff;stroke:var(--surface);stroke-width:3px}\n";
  for (const auto* colors : {kInks.begin(), kTones.begin()}) {
    const size_t count = colors == kInks.begin() ? kInks.size() : kTones.size();
    for (const Color* color = colors; color != colors + count; ++color) {
      append_rule(text, fmt::format(".{}", color->name), "fill", *color);
      append_rule(text, fmt::format(".{}-line", color->name), "stroke", *color);
    }
  }
  return text;
}

// A file names the format of its elements; inside a page that is known.
constexpr std::string_view kFileStart = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
constexpr std::string_view kPageStart = "<svg";

std::string opening(std::string_view start, double width, double height, const std::string& id) {
  return fmt::format(
      "{3} class=\"chart\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"{2}-title {2}-text\">\n",
      width, height, escape_markup(id), start);
}

std::string words(const Caption& caption, const std::string& id) {
  return fmt::format("<title id=\"{0}-title\">{1}</title>\n<desc id=\"{0}-text\">{2}</desc>\n",
                     escape_markup(id), escape_markup(caption.title),
                     escape_markup(caption.description));
}

Drawing draw_any(const Chart& chart, double width) {
  return std::visit([&](const auto& one) { return draw(one, width); }, chart);
}

// Adds lines of text and returns the y below them.
double add_paragraph(Canvas& canvas, double y, std::string_view text, double width,
                     const TextStyle& style) {
  for (const std::string& line : broken_text(text, width, style.size)) {
    y += style.size * 1.35;
    canvas.text({0, y}, line, style);
  }
  return y;
}

}  // namespace

Tone other_tone(size_t n) {
  return static_cast<Tone>(static_cast<size_t>(Tone::first_other) + n % 4);
}

std::string_view name_of(Tone tone) { return kTones[static_cast<size_t>(tone)].name; }

const Caption& caption_of(const Chart& chart) {
  return std::visit([](const auto& one) -> const Caption& { return one.caption; }, chart);
}

Table data_of(const Chart& chart) {
  return std::visit([](const auto& one) { return data_of(one); }, chart);
}

std::string svg_for_page(const Chart& chart, const Inlined& look) {
  const Drawing drawing = draw_any(chart, look.width);
  return opening(kPageStart, drawing.width, drawing.height, look.id) +
         words(caption_of(chart), look.id) + drawing.canvas.elements() + "</svg>\n";
}

std::string svg_file(const Caption& caption, const std::vector<Chart>& charts, double width) {
  const double inner = width - 2 * kMargin;
  Canvas all;
  double y =
      add_paragraph(all, 0, caption.title, inner, {.size = kTitleSize, .bold = true}) + kTextSize;
  if (!caption.description.empty())
    y = add_paragraph(all, y - 6, caption.description, inner, {.ink = "soft"}) + kTextSize;
  double widest = inner;
  for (const Chart& chart : charts) {
    if (charts.size() > 1) {
      y = add_paragraph(all, y + kBetweenCharts - kTextSize, caption_of(chart).title, inner,
                        {.size = kHeadingSize, .bold = true});
      y = add_paragraph(all, y + 2, caption_of(chart).description, inner, {.ink = "soft"}) +
          kTextSize;
    }
    const Drawing drawing = draw_any(chart, inner);
    all.add(drawing.canvas, {0, y});
    y += drawing.height + kTextSize;
    widest = std::max(widest, drawing.width);
  }
  Canvas page;
  page.add(all, {kMargin, kMargin - 4});
  const double full_width = widest + 2 * kMargin, full_height = y + 2 * kMargin - kTextSize;
  return opening(kFileStart, full_width, full_height, "chart") + words(caption, "chart") +
         "<style>\n" + style_sheet() + "</style>\n" +
         fmt::format("<rect class=\"surface\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", full_width,
                     full_height) +
         page.elements() + "</svg>\n";
}

std::string svg_file(const Chart& chart, double width) {
  return svg_file(caption_of(chart), {chart}, width);
}

std::string style_sheet() {
  constexpr std::string_view kWhere = ":root,.chart";
  return variables(kWhere, &Color::light) + "\n@media (prefers-color-scheme:dark){" +
         variables(kWhere, &Color::dark) + "}\n@media print{" + variables(kWhere, &Color::light) +
         "}\n" + rules();
}

}  // namespace eatt::chart
