#include "report/report.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "report/sections.h"
#include "support/files.h"

namespace eatt::report {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

fs::path example(const std::string& name) {
  return testing::repository_file("tests/report/example/" + name);
}

std::vector<std::string> titles(const Document& document) {
  std::vector<std::string> result;
  for (const Section& section : document.sections) result.push_back(section.title);
  return result;
}

TEST(StudyReport, BeginsWithWhatWasComparedAndTheMainResult) {
  const Document document = make_report({example("study")}, "");
  EXPECT_EQ(document.title, "Study study");
  EXPECT_THAT(document.summary[0],
              AllOf(HasSubstr("compares 36 trainings with the recipe tiny"),
                    HasSubstr("It is unfinished: 35 of 36 trainings are done, and 1 failed")));
  EXPECT_THAT(document.summary[1], HasSubstr("E-ATT (best) reaches 36.84 ± 0.03 BLEU on the dev "
                                             "set, 0.34 less than vanilla attention. Its attention "
                                             "takes 47.0 % of the energy of vanilla's, and the "
                                             "whole model 82.5 %."));
  EXPECT_THAT(document.tiles, SizeIs(3));
}

TEST(StudyReport, HasTablesChartsAlignmentsAndAtLastTheManifest) {
  const Document document = make_report({example("study")}, "");
  EXPECT_THAT(titles(document), ElementsAre("Results beside the paper's", "BLEU and energy",
                                            "Density by layer and role", "Training curves",
                                            "Alignments", "How it was made"));
  const std::string text = markdown_of(document);
  EXPECT_THAT(text, AllOf(HasSubstr("BLEU against the energy of attention"),
                          HasSubstr("| paper, dev BLEU |"),
                          HasSubstr("Density of codes: E-ATT, figures in the paper"),
                          HasSubstr("no space left on device"),
                          HasSubstr("eatt train --recipe tiny --preset paper --attention l1")));
}

TEST(StudyReport, OfOneThatWasAskedForSomeCellsIsFinishedWithThem) {
  const testing::TemporaryFolder folder;
  std::string manifest = testing::read_text(example("study/study.json"));
  manifest.replace(manifest.find("\"state\": \"failed\""), 17, "\"state\": \"not chosen\"");
  folder.write("study.json", manifest);
  const Document document = make_report({folder.path()}, "");
  EXPECT_THAT(document.summary[0],
              AllOf(HasSubstr("compares 35 trainings"), Not(HasSubstr("unfinished"))));
}

TEST(StudyReport, OfTwoStudiesTellsTheirFiguresApart) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"one", "two"}) {
    for (const char* file : {"study.json", "results.json"})
      folder.write(std::string(name) + "/" + file, testing::read_text(example("study") / file));
  }
  const Document document = make_report({folder / "one", folder / "two"}, "");
  EXPECT_EQ(document.tiles.front().name, "one: vanilla");
  EXPECT_EQ(document.tiles.back().name, "two: E-ATT (best)");
  const std::string csv = csv_of(document);
  EXPECT_THAT(csv, AllOf(HasSubstr("\none: ablation,l1,"), HasSubstr("\ntwo: ablation,l1,"),
                         HasSubstr("\ntwo: manifest,"), Not(HasSubstr("\nablation,")),
                         HasSubstr("\ntwo: BLEU against the energy of attention,"),
                         Not(HasSubstr("two: two: "))));
  const std::string html = html_of(document);
  EXPECT_THAT(html, AllOf(HasSubstr("<h3>one: BLEU against the energy"),
                          HasSubstr("<h3>two: BLEU against the energy"),
                          Not(HasSubstr("<h3>BLEU against the energy"))));
}

TEST(StudyReport, OfStudiesOfTheSameNameAreToldApartByTheFolderAbove) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"en-de/study", "en-vi/study"}) {
    for (const char* file : {"study.json", "results.json"})
      folder.write(std::string(name) + "/" + file, testing::read_text(example("study") / file));
  }
  const Document document = make_report({folder / "en-de/study", folder / "en-vi/study"}, "");
  EXPECT_EQ(document.tiles.front().name, "en-de/study: vanilla");
}

TEST(StudyReport, DrawsStudentsAgainstTheEnergyOfTheirAttention) {
  const std::string text = markdown_of(make_report({example("study")}, ""));
  EXPECT_THAT(text, AllOf(HasSubstr("energy of attention, % of vanilla at full width"),
                          HasSubstr("| no teacher |")));
}

TEST(StudyReport, WithoutResultsShowsHowFarItIs) {
  const testing::TemporaryFolder folder;
  folder.write("study.json", testing::read_text(example("study/study.json")));
  const Document document = make_report({folder.path()}, "");
  EXPECT_THAT(titles(document), ElementsAre("Results beside the paper's", "How it was made"));
  EXPECT_TRUE(document.tiles.empty());
  EXPECT_THAT(markdown_of(document), HasSubstr("There are no results yet"));
}

TEST(RunReport, ShowsRunsSideBySideAndWhereTheyDiffer) {
  const Document document =
      make_report({example("runs/vanilla"), example("runs/eatt/")}, "Made by a test.");
  EXPECT_EQ(document.title, "vanilla, eatt");
  const std::string text = markdown_of(document);
  EXPECT_THAT(text, AllOf(HasSubstr("vanilla has the highest BLEU on the dev set, 36.11; eatt has"),
                          HasSubstr("| preset | paper | best |"),
                          HasSubstr("unfinished, 450 updates so far"),
                          HasSubstr("E-ATT, signed codes"), HasSubstr("Made by a test.")));
  EXPECT_EQ(text.find("| after |"), std::string::npos) << "it is the same in both";
}

TEST(RunReport, OneRunIsDescribedAlone) {
  const Document document = make_report({example("runs/eatt")}, "");
  EXPECT_EQ(document.summary[0],
            "eatt is a training run (E-ATT, signed codes; unfinished, 450 updates so far).");
}

TEST(RunReport, RunsOfTheSameNameAreToldApartByTheFolderAbove) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"one/run/log.jsonl", "two/run/log.jsonl"})
    folder.write(name, "{\"event\":\"progress\",\"update\":1,\"loss\":5}\n");
  std::vector<TrainingRun> runs = {read_run(folder / "one/run"), read_run(folder / "two/run")};
  const auto shown = shown_runs(runs);
  EXPECT_EQ(shown[0].name, "one/run");
  EXPECT_EQ(shown[1].name, "two/run");
}

TEST(RunReport, ColorsMeanTheAttentionOfARun) {
  const auto shown = [](const std::string& attention, const std::string& preset) {
    TrainingRun run;
    run.settings = {{"attention", attention}, {"preset", preset}, {"code-levels", "preset"}};
    return shown_runs({run})[0].tone;
  };
  EXPECT_EQ(shown("vanilla", "paper"), chart::Tone::vanilla);
  EXPECT_EQ(shown("eatt", "paper"), chart::Tone::eatt);
  EXPECT_EQ(shown("eatt", "best"), chart::Tone::best);
  EXPECT_EQ(shown("dense", "paper"), chart::Tone::first_other);
}

TEST(Report, AFolderThatIsNeitherAStudyNorARunIsAnError) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT([&] { make_report({folder.path()}, ""); },
              ThrowsMessage<Error>(AllOf(HasSubstr("is neither a study (it has no study.json) nor "
                                                   "a training run (it has no log.jsonl)"),
                                         HasSubstr("eatt study"))));
  EXPECT_THAT([&] { make_report({folder / "none"}, ""); },
              ThrowsMessage<Error>(HasSubstr("none: no such folder")));
  folder.write("run/log.jsonl", "{\"event\":\"started\"}\n");
  fs::create_directories(folder / "run/best");
  EXPECT_THAT([&] { make_report({folder / "run/best"}, ""); },
              ThrowsMessage<Error>(HasSubstr("did you mean " + (folder / "run").string() + "?")));
}

TEST(Report, MapsAreNumberedByModelAndColoredByItsName) {
  const Alignment word{
      .model = "runs/eatt/best", .source = {"a"}, .target = {"b"}, .weights = {{1}}};
  Alignment other = word;
  other.model = "vanilla-s1";
  const Section section = alignment_section({word, other, word});
  const auto& charts = std::get<Charts>(section.blocks[0]).charts;
  EXPECT_EQ(chart::caption_of(charts[1]).title, "vanilla-s1, sentence 1");
  EXPECT_EQ(chart::caption_of(charts[2]).title, "runs/eatt/best, sentence 2");
  EXPECT_EQ(std::get<chart::HeatMap>(charts[0]).tone, chart::Tone::eatt);
  EXPECT_EQ(std::get<chart::HeatMap>(charts[1]).tone, chart::Tone::vanilla);
}

TEST(Report, MapsHaveTheColorOfTheAttentionThatTheirFileNames) {
  Alignment word{.model = "vanilla",  // A bad name for it.
                 .attention = "E-ATT, signed codes",
                 .source = {"a"},
                 .target = {"b"},
                 .weights = {{1}}};
  const auto tone = [&] {
    const Section section = alignment_section({word});
    return std::get<chart::HeatMap>(std::get<Charts>(section.blocks[0]).charts[0]).tone;
  };
  EXPECT_EQ(tone(), chart::Tone::best);
  word.attention = "E-ATT, binary codes";
  EXPECT_EQ(tone(), chart::Tone::eatt);
  word.attention = "dense";
  EXPECT_EQ(tone(), chart::Tone::first_other);
}

TEST(Report, ChartsAloneAreChosenByTheirTitles) {
  Document document = make_report({example("study")}, "");
  EXPECT_THAT(svg_of(document), AllOf(HasSubstr("Training loss"), HasSubstr("Distilled students")));
  keep_charts("bleu AGAINST", document);
  const std::string svg = svg_of(document);
  EXPECT_THAT(svg, AllOf(StartsWith("<svg"), HasSubstr("BLEU against the energy of attention"),
                         Not(HasSubstr("Training loss"))));
  EXPECT_THAT([&] { keep_charts("nothing", document); },
              ThrowsMessage<UsageError>(HasSubstr("there are 'BLEU against the energy")));
}

TEST(Report, AFolderMayHaveAlignmentsAlone) {
  const testing::TemporaryFolder folder;
  folder.write("alignments.json", testing::read_text(example("study/alignments.json")));
  EXPECT_THAT(titles(make_report({folder.path()}, "")), ElementsAre("Alignments"));
}

}  // namespace
}  // namespace eatt::report
