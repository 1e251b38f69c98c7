#include "chart/chart.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace eatt::chart {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

LineChart curves() {
  return {.caption = {"Loss & BLEU", "Falls from 7 to 2."},
          .x = {.title = "update"},
          .y = {.title = "loss"},
          .lines = {{"vanilla", Tone::vanilla, false, {{100, 7}, {200, 3}, {300, 2}}},
                    {"<eatt>", Tone::eatt, true, {{100, 7.5}, {300, 2.25}}}}};
}

HeatMap map() {
  return {.caption = {"Alignment", "Diagonal."},
          .row_title = "target",
          .column_title = "source",
          .rows = {"the", "house"},
          .columns = {"das", "Haus", "."},
          .values = {{0.9, 0.1, 0}, {0.05, 0.9, 0.05}}};
}

std::vector<Chart> all_charts() {
  return {curves(), map(),
          PointChart{.caption = {"BLEU against energy", ""},
                     .x = {.title = "energy, %"},
                     .y = {.title = "BLEU"},
                     .series = {{.name = "vanilla",
                                 .tone = Tone::vanilla,
                                 .marks = {{100, 37, 0, 0.3, "vanilla"}}},
                                {.name = "E-ATT",
                                 .tone = Tone::eatt,
                                 .hollow = true,
                                 .connected = true,
                                 .marks = {{34, 36, 2, 0, "one"}, {40, 36.5, 0, 0, "two"}}}}},
          BarChart{.caption = {"Density", ""},
                   .group_title = "layer",
                   .y = {.title = "%"},
                   .groups = {"1", "2"},
                   .series = {{"ours", Tone::eatt, false, {5.0, std::nullopt}},
                              {"paper", Tone::eatt, true, {6.0, 7.0}}}},
          StackedBarChart{.caption = {"Energy", ""},
                          .x = {.title = "% of vanilla"},
                          .parts = {"arithmetic", "memory"},
                          .bars = {{"vanilla", Tone::vanilla, {60, 40}, "100 %"},
                                   {"E-ATT", Tone::eatt, {30, 40}, "70 %"}}}};
}

TEST(Chart, TellsScreenReadersWhatItShows) {
  for (const Chart& chart : all_charts()) {
    const std::string svg = svg_for_page(chart, {.id = "chart-7"});
    EXPECT_THAT(svg, AllOf(StartsWith("<svg class"), EndsWith("</svg>\n"),
                           HasSubstr("role=\"img\" aria-labelledby=\"chart-7-title chart-7-text\""),
                           HasSubstr("<title id=\"chart-7-title\">"),
                           HasSubstr("<desc id=\"chart-7-text\">")));
  }
}

TEST(Chart, OnlyAFileNamesItsFormatByAnAddress) {
  EXPECT_THAT(svg_file(map()), StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg_for_page(map(), {.id = "a"}), Not(HasSubstr("http")));
}

TEST(Chart, EscapesWordsFromOutside) {
  EXPECT_EQ(escape_markup("a<b>&\"'\n\x01\xff"), "a&lt;b&gt;&amp;&quot;&#39;  \xef\xbf\xbd");
  HeatMap evil = map();
  evil.rows[0] = "<script>";
  evil.columns[1] = "&\"'";
  for (const std::string& svg : {svg_file(evil), svg_file(curves())})
    EXPECT_THAT(svg,
                AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("<eatt>")), Not(HasSubstr("&\""))));
  EXPECT_THAT(svg_file(curves()), HasSubstr("&lt;eatt&gt;"));
}

TEST(Chart, HasNoNumbersThatAreNotFinite) {
  LineChart lines = curves();
  lines.lines[0].points.push_back({400, kNan});
  lines.lines[1].points.push_back({INFINITY, 1});
  lines.y.logarithmic = true;
  lines.lines[1].points.push_back({500, -1});  // Not on a logarithmic axis.
  HeatMap cells = map();
  cells.values[0][0] = kNan;
  for (const Chart& chart : {Chart(lines), Chart(cells)}) {
    const std::string svg = svg_file(chart);
    EXPECT_THAT(svg,
                AllOf(Not(HasSubstr("\"nan")), Not(HasSubstr("\"inf")), Not(HasSubstr("\"-nan"))));
  }
}

TEST(Chart, SaysSoIfThereIsNothingToDraw) {
  for (const Chart& chart : {Chart(LineChart{}), Chart(PointChart{}), Chart(BarChart{}),
                             Chart(StackedBarChart{}), Chart(HeatMap{})}) {
    EXPECT_THAT(svg_file(chart), HasSubstr(">No data<"));
    EXPECT_TRUE(data_of(chart).rows.empty());
  }
}

TEST(Chart, AFileHasItsOwnColorsForLightAndDark) {
  const std::string file = svg_file(map());
  EXPECT_THAT(file, AllOf(HasSubstr("<style>"), HasSubstr("prefers-color-scheme:dark"),
                          HasSubstr("class=\"surface\"")));
  EXPECT_THAT(svg_for_page(map(), {.id = "a"}), Not(HasSubstr("<style>")));
}

TEST(Chart, ColorsHaveAPlainValueForProgramsWithoutVariables) {
  EXPECT_THAT(style_sheet(), HasSubstr(".chart .vanilla{fill:#0072b2;fill:var(--vanilla)}"));
}

TEST(Chart, FollowsTheWidthOfThePage) {
  for (const Chart& chart : all_charts()) {
    for (const double width : {340.0, 720.0}) {
      const std::string svg = svg_for_page(chart, {.id = "a", .width = width});
      if (!std::holds_alternative<HeatMap>(chart)) {
        EXPECT_THAT(svg, HasSubstr("width=\"" + std::to_string(static_cast<int>(width)) + "\""));
      }
    }
  }
}

TEST(Chart, AHeatMapGrowsWithItsWords) {
  HeatMap wide = map();
  wide.columns.assign(60, "word");
  for (auto& row : wide.values) row.assign(60, 0.5);
  EXPECT_THAT(svg_for_page(wide, {.id = "a", .width = 340}), Not(HasSubstr("width=\"340\"")));
}

TEST(ChartData, HasARowForEachNumberOfTheAxis) {
  const Table table = data_of(Chart(curves()));
  EXPECT_THAT(table.columns, ElementsAre("update", "vanilla", "<eatt>"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("100", "7", "7.500"), ElementsAre("200", "3", ""),
                                      ElementsAre("300", "2", "2.250")));
}

TEST(ChartData, HasAllNumbersOfTheOtherCharts) {
  const std::vector<Chart> charts = all_charts();
  EXPECT_THAT(data_of(charts[1]).rows[0], ElementsAre("the", "0.90", "0.10", "0.00"));
  EXPECT_THAT(data_of(charts[2]).rows[0], ElementsAre("vanilla", "vanilla", "100", "37 ± 0.3000"));
  EXPECT_THAT(data_of(charts[3]).rows[1], ElementsAre("2", "", "7"));
  EXPECT_THAT(data_of(charts[4]).rows[1], ElementsAre("E-ATT", "30", "40", "70 %"));
}

TEST(Chart, RefusesDataOfAnotherShape) {
  HeatMap crooked = map();
  crooked.values[1].pop_back();
  EXPECT_THROW(svg_file(crooked), InternalError);
}

TEST(Chart, SeveralChartsShareAFile) {
  const std::string file = svg_file({"Everything", "Five charts."}, all_charts());
  EXPECT_THAT(file, AllOf(HasSubstr(">Everything<"), HasSubstr(">Loss &amp; BLEU<"),
                          HasSubstr(">Density<")));
}

}  // namespace
}  // namespace eatt::chart
