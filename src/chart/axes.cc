#include "chart/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/utf8.h"

namespace eatt::chart {
namespace {

constexpr double kSwatch = 12, kBetweenItems = 20;

// "-1,234.50"
std::string separated(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
  const size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > 3;) text.insert(at -= 3, 1, ',');
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0 && !is_zero ? "−" + text : text;
}

// Digits behind the point that a round step needs.
int digits_of(double step) {
  return std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
}

void draw_swatch(Canvas& canvas, const LegendItem& item, const Point& corner) {
  const double middle = corner.y + kSwatch / 2;
  switch (item.swatch) {
    case Swatch::box:
      canvas.rectangle({corner.x, corner.y, corner.x + kSwatch, corner.y + kSwatch}, item.tone,
                       item.strength);
      break;
    case Swatch::line:
    case Swatch::dashed_line:
      canvas.curve({{corner.x - 2, middle}, {corner.x + kSwatch + 4, middle}}, item.tone,
                   item.swatch == Swatch::dashed_line);
      break;
    case Swatch::disc:
    case Swatch::circle:
      canvas.disc({corner.x + kSwatch / 2, middle}, item.tone, item.swatch == Swatch::circle);
      break;
  }
}

// Labels below the area, as many as fit beside each other, and the title.
void draw_bottom_axis(Canvas& canvas, const Axis& axis, const Scale& scale, const Box& area) {
  double free_from = -1e9;
  for (const double value : scale.ticks().values) {
    const std::string text = scale.ticks().text(value);
    const double x = scale.at(value), half = text_width(text) / 2;
    canvas.line({x, area.bottom}, {x, area.bottom + 5}, "axis");
    if (x - half < free_from) continue;
    canvas.text({x, area.bottom + 19}, text, {.ink = "soft", .anchor = Anchor::middle});
    free_from = x + half + 8;
  }
  canvas.line({area.left, area.bottom}, {area.right, area.bottom}, "axis");
  canvas.text({(area.left + area.right) / 2, area.bottom + 40}, axis.title,
              {.anchor = Anchor::middle});
}

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low_ = count_ == 0 ? value : std::min(low_, value);
  high_ = count_ == 0 ? value : std::max(high_, value);
  ++count_;
}

std::string Ticks::text(double value) const {
  return separated(value, digits < 0 && value > 0 ? digits_of(value) : std::max(0, digits));
}

Ticks linear_ticks(double low, double high, int count) {
  double span = high - low;
  if (!(span > 1e-12 * std::max(std::abs(low), std::abs(high)))) {
    span = low == 0 ? 1 : std::abs(low);
  }
  const double rough = span / count, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  const double first = std::floor(low / step + 1e-9);
  const double last = std::max(std::ceil(high / step - 1e-9), first + 1);
  Ticks ticks{.values = {}, .digits = digits_of(step)};
  for (double i = first; i <= last; ++i) ticks.values.push_back(i * step);
  return ticks;
}

Ticks log_ticks(double low, double high) {
  const double first = std::floor(std::log10(low) + 1e-9),
               last = std::ceil(std::log10(high) - 1e-9);
  const bool only_powers = high > 1000 * low;
  Ticks ticks{.values = {}, .digits = -1};
  for (double power = first; power <= std::max(last, first + 1); ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor == 1.0 || !only_powers) ticks.values.push_back(factor * std::pow(10, power));
    }
  }
  // The last below the range and the first above it are the ends.
  while (ticks.values.size() > 2 && ticks.values[1] <= low * (1 + 1e-9))
    ticks.values.erase(ticks.values.begin());
  while (ticks.values.size() > 2 && ticks.values[ticks.values.size() - 2] >= high * (1 - 1e-9))
    ticks.values.pop_back();
  return ticks;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  const int digits = std::clamp(4 - before, 0, 12);
  return value == std::round(value) ? separated(value, 0) : separated(value, digits);
}

Scale::Scale(const Axis& axis, const Range& range, int count) : logarithmic_(axis.logarithmic) {
  if (!axis.ticks.empty()) {
    ticks_ = {.values = axis.ticks, .digits = -1};
  } else if (logarithmic_) {
    ticks_ = log_ticks(range.low(), range.high());
  } else {
    const double low = axis.from_zero ? std::min(0.0, range.low()) : range.low();
    ticks_ = linear_ticks(low, axis.from_zero ? std::max(0.0, range.high()) : range.high(), count);
  }
}

double Scale::at(double value) const {
  const auto place = [&](double number) { return logarithmic_ ? std::log10(number) : number; };
  const double low = place(ticks_.values.front()), high = place(ticks_.values.back());
  return from_ + (to_ - from_) * (place(value) - low) / (high - low);
}

bool shows(const Axis& axis, double value) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

double draw_legend(Canvas& canvas, const std::vector<LegendItem>& items, double width) {
  double x = 2, y = 4;
  for (const LegendItem& item : items) {
    const std::string name = fitted_text(item.name, width - kSwatch - 12);
    const double needed = kSwatch + 8 + text_width(name);
    if (x > 2 && x + needed > width) {
      x = 2;
      y += kLineHeight + 2;
    }
    draw_swatch(canvas, item, {x, y});
    canvas.text({x + kSwatch + 8, y + kSwatch - 1}, name);
    x += needed + kBetweenItems;
  }
  return items.empty() ? 0 : y + kLineHeight;
}

Box draw_left_axis(Canvas& canvas, const Axis& axis, Scale& scale, const Box& room) {
  double widest = 0;
  for (const double value : scale.ticks().values)
    widest = std::max(widest, text_width(scale.ticks().text(value)));
  Box area{room.left + widest + 10, room.top + kLineHeight + 12, room.right, room.bottom};
  scale.place(area.bottom, area.top);
  canvas.text({room.left, room.top + kTextSize}, axis.title);
  for (const double value : scale.ticks().values) {
    const double y = scale.at(value);
    canvas.line({area.left, y}, {area.right, y}, "grid");
    canvas.text({area.left - 8, y + 4.5}, scale.ticks().text(value),
                {.ink = "soft", .anchor = Anchor::end});
  }
  return area;
}

Plot draw_plot(Drawing& drawing, const Axis& x_axis, const Axis& y_axis, const Range& x,
               const Range& y, double top) {
  const int count = drawing.width < 480 ? 4 : 6;
  Plot plot{.area = {}, .x = Scale(x_axis, x, count), .y = Scale(y_axis, y)};
  const double half_label = text_width(plot.x.ticks().text(plot.x.ticks().values.back())) / 2;
  const Box room{0, top, drawing.width - half_label - 2, top + plot_height(drawing.width)};
  plot.area = draw_left_axis(drawing.canvas, y_axis, plot.y, room);
  plot.x.place(plot.area.left, plot.area.right);
  draw_bottom_axis(drawing.canvas, x_axis, plot.x, plot.area);
  drawing.height = plot.area.bottom + 50;
  return plot;
}

Drawing without_data(double width) {
  Drawing drawing{.canvas = {}, .width = width, .height = 60};
  drawing.canvas.text({width / 2, 34}, "No data", {.ink = "soft", .anchor = Anchor::middle});
  return drawing;
}

std::string fitted_text(const std::string& text, double width) {
  if (text_width(text) <= width) return text;
  std::string start;
  for (size_t at = 0; at < text.size();) {
    const size_t size = decode_utf8(text, at).size;
    if (text_width(start) + text_width(text.substr(at, size)) + kTextSize > width) break;
    start += text.substr(at, size);
    at += size;
  }
  return start + "…";
}

double plot_height(double width) { return std::clamp(width * 0.5, 240.0, 360.0); }

}  // namespace eatt::chart
