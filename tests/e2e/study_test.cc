// `eatt study` on models that take seconds: what a researcher sees who starts one, stops it, and
// starts it again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Study : public Train {
 protected:
  using Words = std::vector<std::string>;

  // `eatt study NAME` into the folder "study"; a training of 6 updates.
  Words study(const std::string& name, const Words& more = {}, const Words& train = {}) const {
    Words words = {"study",
                   name,
                   "--recipe",
                   "tiny",
                   "--train-sets",
                   corpus("train.zh"),
                   corpus("train.en"),
                   "--valid-sets",
                   corpus("dev.zh"),
                   corpus("dev.en"),
                   "--output",
                   path("study"),
                   "--cpu-threads",
                   "2",
                   "--jobs",
                   "2"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", "--after", "6u", "--valid-freq", "6u", "--model-dim", "32",
                               "--enc-depth", "1", "--dec-depth", "1", "--vocab-size", "700"});
    words.insert(words.end(), train.begin(), train.end());
    return words;
  }

  static std::string first_lines(const std::string& file, size_t count) {
    const std::string text = read_text(file);
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) end = text.find('\n', end) + 1;
    return text.substr(0, end);
  }

  json results() const { return json::parse(read_text(path("study/results.json"))); }
  json manifest() const { return json::parse(read_text(path("study/study.json"))); }
};

TEST_F(Study, TrainsItsCellsAndPrintsThemBesideThePapers) {
  const auto result =
      run("eatt", study("ablation", {"--test-sets", corpus("test.zh"), corpus("test.en")}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("| l1 | "), HasSubstr(" | 28.05 |")));
  EXPECT_EQ(result.out,
            read_text(path("study/results.md")).substr(std::string("# Results\n\n").size()));
  EXPECT_EQ(results()["cells"].size(), 6);
  EXPECT_TRUE(results()["cells"][0].contains("test_bleu"));
  for (const char* cell :
       {"vanilla-s1", "selection-s1", "l1-s1", "eatt-s1", "best-s1", "best-distilled-s1"}) {
    EXPECT_TRUE(fs::exists(folder_ / "study" / "cells" / cell / "best")) << cell;
  }
  EXPECT_THAT(read_text(path("study/report.html")),
              AllOf(HasSubstr("What selection and L1 distance cost"), HasSubstr("<svg")));
  const json made = manifest();
  EXPECT_EQ(made["cells"][0]["state"], "done");
  EXPECT_EQ(made["cells"][0]["updates"], 6);
  EXPECT_THAT(made["cells"][0]["version"].get<std::string>(), HasSubstr("eatt"));
  EXPECT_TRUE(made["cells"][0].contains("minutes") && made["cells"][0].contains("cpu"));
  EXPECT_EQ(made["seeds"], 1) << "only overall has several";
  EXPECT_EQ(made["command"].get<std::string>().substr(0, 20), "eatt study ablation ");
  EXPECT_THAT(made["cells"][2]["commands"][0].get<std::string>(),
              AllOf(StartsWith("eatt train --recipe tiny"),
                    HasSubstr("--preset paper --attention l1 --seed 1 --prepared")));
  EXPECT_EQ(made["inputs"]["train_sets"][0]["sha256"].get<std::string>().size(), 64);

  // Done is done: nothing is trained again, and another study shares the cells.
  const auto trained = fs::last_write_time(folder_ / "study/cells/eatt-s1/log.jsonl");
  const auto again =
      run("eatt", study("energy", {"--test-sets", corpus("test.zh"), corpus("test.en")}));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(fs::last_write_time(folder_ / "study/cells/eatt-s1/log.jsonl"), trained);
  EXPECT_THAT(again.err, Not(HasSubstr("started")));
  EXPECT_EQ(manifest()["cells"][0]["commands"][0], made["cells"][0]["commands"][0]);
}

TEST_F(Study, ABrokenCellIsShownAndDoesNotStopTheOthers) {
  folder_.write("study/cells/eatt-s1", "This is a file, so no run can be there.");
  const auto result = run("eatt", study("density"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("eatt-s1: failed: "), HasSubstr("best-s1: done"),
                                HasSubstr("1 of 2 cells failed; the same command tries again")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("Cells that failed"), HasSubstr("| best | enc-self |")));
  fs::remove(folder_ / "study/cells/eatt-s1");
  const auto mended = run("eatt", study("density"));
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_THAT(mended.out, AllOf(Not(HasSubstr("failed")), HasSubstr("| eatt | enc-self |")));
}

TEST_F(Study, StudentsOfATeacherThatFailedAreNotTrained) {
  folder_.write("study/cells/vanilla-s1", "");
  const auto result = run("eatt", study("distillation"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("student-eatt-model-8-s1: failed: its teacher, vanilla-s1, "
                                    "failed"));
  EXPECT_THAT(result.err, HasSubstr("16 of 17 cells failed"));
}

TEST_F(Study, StoppedByASignalTheSameCommandContinues) {
  std::string command = "'" + program_path("eatt").string() + "'";
  for (const std::string& word : study("density", {}, {"--after", "400u", "--save-freq", "20u"}))
    command += " '" + word + "'";
  const auto stopped = shell(command + " & pid=$!; until grep -q progress '" +
                             path("study/cells/eatt-s1/log.jsonl") +
                             "' 2>/dev/null || ! kill -0 $pid; do sleep 0.05; done; kill $pid; "
                             "wait $pid");
  EXPECT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGTERM; run the same command to continue"));
  EXPECT_EQ(manifest()["cells"][0]["state"], "unfinished");
  const auto result = shell(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_text(path("study/cells/eatt-s1/log.jsonl")), HasSubstr("\"resumed\""));
}

TEST_F(Study, ShowsTheCellsThatAreDoneWhileOthersAreTrained) {
  std::string command = "'" + program_path("eatt").string() + "'";
  for (const std::string& word : study("density", {"--jobs", "1"}, {"--after", "60u"}))
    command += " '" + word + "'";
  const auto stopped =
      shell(command + " & pid=$!; until [ -e '" + path("study/cells/best-s1") +
            "' ] || ! kill -0 $pid; do sleep 0.02; done; '" + program_path("eatt").string() +
            "' report '" + path("study") + "'; kill $pid; wait $pid");
  EXPECT_THAT(stopped.out, AllOf(HasSubstr("It is unfinished: 1 of 2 trainings are done."),
                                 HasSubstr("| eatt | enc-self |")))
      << stopped.err;
}

TEST_F(Study, CellsThatCouldNotBeComparedAreRefusedAndTestSetsMayComeLater) {
  ASSERT_EQ(run("eatt", study("density")).exit_code, 0);
  const auto other = run("eatt", study("density", {}, {"--dropout", "0.2"}));
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("its models were trained with -- --after 6u"),
                               HasSubstr("choose another --output")));
  // The same text under another name and with another time is the same text.
  folder_.write("copy.zh", read_text(corpus("train.zh")));
  folder_.write("copy.en", read_text(corpus("train.en")));
  Words copied = study("energy", {"--test-sets", corpus("test.zh"), corpus("test.en")});
  drop(copied, "--train-sets");
  const Words texts = {"--train-sets", path("copy.zh"), path("copy.en")};
  copied.insert(copied.begin() + 2, texts.begin(), texts.end());
  const auto later = run("eatt", copied);
  EXPECT_EQ(later.exit_code, 0) << later.err;
  EXPECT_THAT(later.out, AllOf(HasSubstr("Density of codes"), HasSubstr("Energy in %")))
      << "the folder's results are those of all its studies";
  EXPECT_TRUE(fs::exists(folder_ / "study/scores/eatt-s1.test.json"));
  ASSERT_EQ(run("eatt", study("density")).exit_code, 0);
  EXPECT_EQ(manifest()["inputs"]["test_sets"].size(), 2)
      << "without a test set, that of the last command stays";
  for (const json& cell : results()["cells"])
    EXPECT_TRUE(cell.contains("test_bleu")) << cell["name"];
}

TEST_F(Study, MistakesThatWouldBreakEveryCellShowBeforeTheFirstAndLeaveNothing) {
  const auto expect = [&](const Words& words, int code, const std::string& reason) {
    const auto result = run("eatt", words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_FALSE(fs::exists(folder_ / "study"));
  };
  expect(study("density", {"--test-sets", corpus("test.en"), corpus("test.zh")}), 2,
         "--test-sets " + corpus("test.en") + " " + corpus("test.zh") + " are swapped");
  expect(study("density", {"--train-sets", corpus("train.zh"), corpus("train.zh")}), 2,
         "as its source and as its target");
  expect(study("density", {"--test-sets", path("none.zh"), path("none.en")}), 1, "none.zh");
  expect(study("density", {"--test-sets", corpus("train.zh"), corpus("test.en")}), 1,
         "has 400 lines and " + corpus("test.en") + " 20 lines");
  expect(study("density", {}, {"--model-dim", "33"}), 2, "--model-dim");
  expect(study("density", {}, {"--aftr", "33u"}), 2, "unknown option --aftr");
  expect(study("energy", {}, {"--surrogate-width", "2"}), 2,
         "options after -- are for all cells, but vanilla does not take them: --surrogate-width");
}

TEST_F(Study, OfACaseShowsTheAlignmentsOfGivenSentences) {
  folder_.write("case.zh", first_lines(corpus("test.zh"), 2));
  folder_.write("case.en", first_lines(corpus("test.en"), 2));
  const auto result = run("eatt", study("case", {"--sentences", path("case.zh"), path("case.en")}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("| 2 | eatt | "), HasSubstr("←")));
  const json alignments = json::parse(read_text(path("study/alignments.json")))["sentences"];
  EXPECT_EQ(alignments.size(), 3 * 2);
  EXPECT_EQ(alignments[0]["model"], "vanilla");
  EXPECT_EQ(alignments[2]["model"], "best") << "the models of a sentence stand beside each other";
  EXPECT_EQ(alignments[0]["weights"].size(), alignments[0]["target"].size());
  // Without sentences of your own, those of the dev set: no training is repeated.
  const auto other = run("eatt", study("case"));
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("| 3 | best | "));
  EXPECT_THAT(read_text(path("study/cells/eatt-s1/log.jsonl")), Not(HasSubstr("resumed")));
}

TEST_F(Study, ScoresWithAnotherBeamAreMadeAgainWithoutTraining) {
  ASSERT_EQ(run("eatt", study("density")).exit_code, 0);
  const auto trained = fs::last_write_time(folder_ / "study/cells/eatt-s1/log.jsonl");
  const auto beam = run("eatt", study("density", {"--beam-size", "4", "--length-penalty", "0.6"}));
  ASSERT_EQ(beam.exit_code, 0) << beam.err;
  EXPECT_EQ(fs::last_write_time(folder_ / "study/cells/eatt-s1/log.jsonl"), trained);
  const json made = manifest();
  EXPECT_EQ(made["inputs"]["search"]["beam_size"], 4);
  EXPECT_THAT(made["cells"][0]["commands"][1].get<std::string>(),
              HasSubstr("--beam-size 4 --length-penalty 0.6 --json"));
  const auto scored = fs::last_write_time(folder_ / "study/scores/eatt-s1.dev.json");
  ASSERT_EQ(
      run("eatt", study("density", {"--beam-size", "4", "--length-penalty", "0.6"})).exit_code, 0);
  EXPECT_EQ(fs::last_write_time(folder_ / "study/scores/eatt-s1.dev.json"), scored);
}

TEST_F(Study, CellsOfEarlierCommandsAreScoredAgainAndStayInTheResults) {
  ASSERT_EQ(run("eatt", study("density", {"--cells", "eatt"})).exit_code, 0);
  const auto result = run("eatt", study("energy", {"--cells", "best", "--beam-size", "2"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("| eatt | enc-self |"), HasSubstr("| best | enc-self |")));
  EXPECT_EQ(results()["cells"].size(), 2);
  EXPECT_THAT(read_text(path("study/cells/eatt-s1/log.jsonl")), Not(HasSubstr("resumed")));
}

TEST_F(Study, ARunThatIsNotThatOfItsCellIsAFailedCell) {
  ASSERT_EQ(run("eatt", study("density")).exit_code, 0);
  const std::string settings = path("study/cells/eatt-s1/training.toml");
  std::string text = read_text(settings);
  text.replace(text.find("after = \"6u\""), 12, "after = \"9u\"");
  folder_.write("study/cells/eatt-s1/training.toml", text);
  const auto result = run("eatt", study("density"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("eatt-s1 was trained with --after 9u, not 6u; move it away"),
                    HasSubstr("1 of 2 cells failed")));
  EXPECT_THAT(result.out, HasSubstr("| best | enc-self |"));
  EXPECT_EQ(manifest()["cells"][0]["state"], "failed");
}

TEST_F(Study, APreparedDataSetIsKnownByItsContent) {
  const auto prepare = [&](const std::string& name, const std::string& vocabulary) {
    const auto made =
        run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"), corpus("train.en"),
                     "--vocab-size", vocabulary, "--output", path(name)});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  };
  const auto on = [&](const std::string& name) {
    Words words = study("density", {"--cells", "eatt"});
    for (const char* option : {"--train-sets", "--vocab-size"}) drop(words, option);
    words.insert(words.begin() + 2, {"--prepared", path(name)});
    return words;
  };
  prepare("data", "700");
  const auto result = run("eatt", on("data"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(manifest()["inputs"]["data_set"][0]["sha256"].get<std::string>().size(), 64);
  prepare("other", "720");
  EXPECT_THAT(run("eatt", on("other")).err,
              HasSubstr("on another data set than that of --prepared"));
  fs::rename(folder_ / "data", folder_ / "moved");
  EXPECT_EQ(run("eatt", on("moved")).exit_code, 0) << "the same data elsewhere";
}

TEST_F(Study, SentencesThatACellCannotReadShowBeforeTheFirstTraining) {
  const auto result =
      run("eatt", study("hybrid", {"--cells", "eatt", "dense"}, {"--max-length", "12"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, ContainsRegex("dev.*line [0-9]+: has [0-9]+ pieces, and the attention of "
                                        "dense can read at most 12"));
  EXPECT_TRUE(fs::is_empty(folder_ / "study/cells"));
  // Data without cells may be those of another text.
  ASSERT_TRUE(fs::exists(folder_ / "study/data/dataset.json"));
  Words other = study("hybrid", {"--cells", "eatt"});
  drop(other, "--vocab-size");
  other.insert(other.end(), {"--vocab-size", "720"});
  ASSERT_EQ(run("eatt", other).exit_code, 0);
  EXPECT_THAT(read_text(path("study/data/dataset.json")), HasSubstr("720"));
}

TEST_F(Study, TrainsTheNarrowestStudentsAndModelsWithoutQueries) {
  const auto students = run("eatt", study("distillation", {"--cells", "student-eatt-attention-8",
                                                           "student-vanilla-model-8"}));
  ASSERT_EQ(students.exit_code, 0) << students.err;
  EXPECT_EQ(results()["cells"].size(), 3) << "and their teacher";
  EXPECT_THAT(students.out, ContainsRegex("\\| eatt \\| attention \\| 1/8 \\| [0-9.]+ \\| [0-9.]+ "
                                          "\\| [0-9.]+ \\| [0-9.]+ \\| 20.07 \\| 4.28 \\|"));
  const auto hybrids = run("eatt", study("hybrid", {"--cells", "dense", "randinit"}));
  ASSERT_EQ(hybrids.exit_code, 0) << hybrids.err;
  EXPECT_THAT(hybrids.out, ContainsRegex("\\| dense \\| dense \\| [0-9.]+ \\|"));
  EXPECT_EQ(results()["cells"].size(), 5);
}

TEST_F(Study, AFolderOfOtherFilesIsRefused) {
  folder_.write("study/notes.txt", "mine");
  const auto result = run("eatt", study("density"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("holds files that eatt did not make (notes.txt)"));
  EXPECT_FALSE(fs::exists(folder_ / "study/cells"));
}

TEST_F(Study, ADryRunPrintsWhatItTakesAndTheCommandsOfEveryCell) {
  const auto result = run("eatt", study("hybrid", {"--dry-run"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              ContainsRegex("^# Estimate for 18 trainings on 2 threads, assuming each .*\n"
                            "# time about [0-9].* memory about [0-9,]+ MB for 2 "
                            "trainings at once, disk about [0-9]+ MB\n"));
  EXPECT_THAT(result.out, HasSubstr("# self-dense-cross-eatt, seed 1: dense self, E-ATT cross\n"));
  EXPECT_THAT(result.out, HasSubstr("--encoder-self dense --decoder-self dense --cross eatt"));
  EXPECT_FALSE(fs::exists(folder_ / "study"));
}

TEST_F(Study, TrainsOnlyTheCellsThatAreNamed) {
  const auto result = run("eatt", study("hybrid", {"--cells", "self-vanilla-cross-dense"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "study/cells/self-vanilla-cross-dense-s1/best"));
  EXPECT_FALSE(fs::exists(folder_ / "study/cells/vanilla-s1"));
  EXPECT_EQ(results()["cells"].size(), 1);
  EXPECT_EQ(manifest()["cells"][1]["state"], "not chosen");
  EXPECT_THAT(read_text(path("study/report.html")), Not(HasSubstr("It is unfinished")));

  const auto taught = run("eatt", study("overall", {"--cells", "best-distilled", "--seeds", "1"}));
  ASSERT_EQ(taught.exit_code, 0) << taught.err;
  EXPECT_TRUE(fs::exists(folder_ / "study/cells/vanilla-s1/best")) << "its teacher";
  EXPECT_THAT(read_text(path("study/cells/best-distilled-s1/training.toml")),
              HasSubstr("\ndistill-maps = 1 "));

  const auto typo = run("eatt", study("hybrid", {"--cells", "self-vanila-cross-dense"}));
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_THAT(typo.err, HasSubstr("--cells: no cell self-vanila-cross-dense; these studies have"));
}

TEST_F(Study, SaysWhatItCannotDo) {
  const auto expect = [&](const Words& words, int code, const std::string& reason) {
    const auto result = run("eatt", words);
    EXPECT_EQ(result.exit_code, code);
    EXPECT_THAT(result.err, HasSubstr(reason));
  };
  expect(study("overal"), 2, "overall");
  expect(study("density", {"--sentences", corpus("test.zh"), corpus("test.en")}), 2,
         "--sentences applies to the study case only");
  expect(study("density", {"--seeds", "2"}), 2, "--seeds applies to the study overall only");
  for (const char* own : {"--attention", "--preset", "--code-levels", "--threshold"}) {
    expect(study("density", {}, {own, "1"}), 2,
           std::string(own) + " cannot be given after --, because the study sets it for each cell");
  }
  expect(study("distillation", {}, {"--model-dim", "36"}), 2, "must be a multiple of");
}

}  // namespace
}  // namespace eatt::testing
