#include "report/document.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace eatt::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Document example() {
  Document document;
  document.title = "A <b>study</b>";
  document.summary = {"Two models & their scores."};
  document.tiles = {{"vanilla", "37.00", "BLEU", "finished", chart::Tone::vanilla}};
  Section section{.title = "Results", .blocks = {}};
  section.blocks.emplace_back(study::ResultTable{.name = "overall",
                                                 .title = "All models",
                                                 .columns = {"model", "BLEU", "paper, BLEU"},
                                                 .rows = {{"a|b", "1,234.50", ""}},
                                                 .note = "A note."});
  section.blocks.emplace_back(
      Charts{{chart::LineChart{.caption = {"Loss", "It falls."},
                               .x = {.title = "update"},
                               .y = {.title = "loss"},
                               .lines = {{"run", chart::Tone::eatt, false, {{1, 3}, {2, 2}}}}}}});
  section.blocks.emplace_back(Commands{"Commands", {"eatt train < in > out"}});
  section.blocks.emplace_back(Paragraph{"That is all."});
  document.sections.push_back(std::move(section));
  document.made_by = "Made by a test.";
  return document;
}

TEST(ReportPage, LoadsNothingAndLinksNowhere) {
  const std::string page = html_of(example());
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  for (const char* outside : {"http:", "https:", "src=", "@import", "url(", "<script"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(ReportPage, EscapesWordsFromOutside) {
  const std::string page = html_of(example());
  EXPECT_THAT(page,
              AllOf(HasSubstr("A &lt;b&gt;study&lt;/b&gt;"), Not(HasSubstr("<b>")),
                    HasSubstr("eatt train &lt; in &gt; out"), HasSubstr("models &amp; their")));
}

TEST(ReportPage, HasATableUnderEachChart) {
  EXPECT_THAT(html_of(example()), AllOf(HasSubstr("<summary>Data as a table</summary>"),
                                        HasSubstr("aria-label=\"Data: Loss\"")));
}

TEST(ReportPage, MarksThePapersColumnsAndNumbers) {
  EXPECT_THAT(html_of(example()),
              AllOf(HasSubstr("<th scope=\"col\" class=\"number theirs\">paper, BLEU</th>"),
                    HasSubstr("<td class=\"number\">1,234.50</td>")));
}

TEST(ReportFormats, HaveTheSameTables) {
  EXPECT_THAT(markdown_of(example()),
              AllOf(StartsWith("# A <b>study</b>\n\n<!-- eatt report -->\n\n"),
                    HasSubstr("### All models\n"), HasSubstr("| a\\|b | 1,234.50 | – |"),
                    HasSubstr("### Loss\n"), HasSubstr("```sh\neatt train < in > out\n```")));
  EXPECT_THAT(csv_of(example()),
              AllOf(HasSubstr("table,model,BLEU,\"paper, BLEU\"\n"),
                    HasSubstr("overall,a|b,\"1,234.50\",\n"), HasSubstr("Loss,2,2\n")));
  const auto object = nlohmann::json::parse(json_of(example()));
  EXPECT_EQ(object["sections"][0]["tables"][0]["rows"][0][1], "1,234.50");
  EXPECT_EQ(object["sections"][0]["charts"][0]["rows"][1][1], "2");
  EXPECT_EQ(object["sections"][0]["commands"][0], "eatt train < in > out");
}

TEST(ReportFormats, AreKnownAgainAndFilesOfOthersAreNot) {
  for (const Format format : {Format::html, Format::markdown, Format::json, Format::csv})
    EXPECT_TRUE(is_report(print(example(), format)));
  for (const char* other : {"# My notes\n\nText\n", "# A list of <!-- eatt report -->",
                            "table,chair\n", "<!doctype html>\n", ""})
    EXPECT_FALSE(is_report(other)) << other;
}

TEST(ReportFormats, StayValidWithBytesThatAreNotText) {
  Document document = example();
  document.title = "bad \xff name";
  for (const Format format : {Format::html, Format::markdown, Format::json})
    EXPECT_THAT(print(document, format), HasSubstr("bad \xef\xbf\xbd name"));
}

}  // namespace
}  // namespace eatt::report
