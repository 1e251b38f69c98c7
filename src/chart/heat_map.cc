#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "chart/axes.h"
#include "chart/canvas.h"

namespace eatt::chart {
namespace {

constexpr double kSmallestCell = 16, kLargestCell = 34;
constexpr double kTurn = -50;         // Degrees of the words above the columns.
constexpr double kLongestWord = 130;  // Pixels that labels may take.
constexpr double kScaleWidth = 120, kScaleHeight = 10, kScaleSteps = 12;

double widest(const std::vector<std::string>& words) {
  double most = 0;
  for (const std::string& word : words) most = std::max(most, text_width(word));
  return std::min(most, kLongestWord);
}

// A word that fits, or its beginning.
std::string shortened(const std::string& word) { return fitted_text(word, kLongestWord); }

double strength(const HeatMap& map, double value) {
  return std::isfinite(value) && map.most > 0 ? std::clamp(value / map.most, 0.0, 1.0) : 0;
}

void check(const HeatMap& map) {
  expects(map.values.size() == map.rows.size(), "a heat map has a row of values for each word");
  for (const auto& row : map.values)
    expects(row.size() == map.columns.size(), "a row of a heat map has a value for each column");
}

// What the strength of the color means: from 0 to the most, under the map.
void draw_scale(const HeatMap& map, Canvas& canvas, const Point& corner) {
  for (double i = 0; i < kScaleSteps; ++i) {
    const double left = corner.x + 16 + kScaleWidth * i / kScaleSteps;
    canvas.rectangle({left, corner.y, left + kScaleWidth / kScaleSteps, corner.y + kScaleHeight},
                     map.tone, (i + 1) / kScaleSteps);
  }
  canvas.text({corner.x, corner.y + kScaleHeight}, "0", {.ink = "soft"});
  canvas.text({corner.x + 22 + kScaleWidth, corner.y + kScaleHeight}, fmt::format("{:g}", map.most),
              {.ink = "soft"});
}

void draw_cells(const HeatMap& map, const Box& area, double cell, Canvas& canvas) {
  for (size_t r = 0; r < map.rows.size(); ++r) {
    const double top = area.top + cell * static_cast<double>(r);
    canvas.text({area.left - 8, top + cell / 2 + 4.5}, shortened(map.rows[r]),
                {.anchor = Anchor::end});
    for (size_t c = 0; c < map.columns.size(); ++c) {
      const double left = area.left + cell * static_cast<double>(c), value = map.values[r][c];
      const Box box{left, top, left + cell, top + cell};
      canvas.rectangle({left + 1, top + 1, left + cell - 1, top + cell - 1}, map.tone,
                       strength(map, value),
                       fmt::format("{} – {}: {:.2f}", map.rows[r], map.columns[c], value));
      canvas.frame(box);
    }
  }
  for (size_t c = 0; c < map.columns.size(); ++c) {
    canvas.text({area.left + cell * (static_cast<double>(c) + 0.5) + 2, area.top - 8},
                shortened(map.columns[c]), {.turned = kTurn});
  }
}

}  // namespace

Drawing draw(const HeatMap& map, double width) {
  check(map);
  Drawing drawing{.canvas = {}, .width = width, .height = 0};
  if (map.rows.empty() || map.columns.empty()) return without_data(width);
  const double turn = -kTurn * std::numbers::pi / 180;
  const double above = widest(map.columns) * std::sin(turn) + 16;
  const double beside = widest(map.columns) * std::cos(turn);  // Of the last column's word.
  const double left = std::max(widest(map.rows), text_width(map.row_title)) + 16;
  const auto columns = static_cast<double>(map.columns.size());
  const double cell = std::clamp((width - left - beside) / columns, kSmallestCell, kLargestCell);
  const double title = map.column_title.empty() ? 0 : kLineHeight;
  const Box area{left, above + title, left + cell * columns,
                 above + title + cell * static_cast<double>(map.rows.size())};
  drawing.canvas.text({area.left, kTextSize}, map.column_title, {.ink = "soft", .bold = true});
  drawing.canvas.text({area.left - 8, area.top - 8}, map.row_title,
                      {.ink = "soft", .anchor = Anchor::end, .bold = true});
  draw_cells(map, area, cell, drawing.canvas);
  draw_scale(map, drawing.canvas, {area.left, area.bottom + 14});
  drawing.width = std::max({area.right + beside, area.left + kScaleWidth + 60});
  drawing.height = area.bottom + 14 + kScaleHeight + 6;
  return drawing;
}

Table data_of(const HeatMap& map) {
  check(map);
  Table table;
  table.columns.push_back(map.row_title);
  table.columns.insert(table.columns.end(), map.columns.begin(), map.columns.end());
  for (size_t r = 0; r < map.rows.size(); ++r) {
    table.rows.push_back({map.rows[r]});
    for (const double value : map.values[r])
      table.rows.back().push_back(fmt::format("{:.2f}", value));
  }
  return table;
}

}  // namespace eatt::chart
