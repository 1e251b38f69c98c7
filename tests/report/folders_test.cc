#include "report/folders.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/files.h"

namespace eatt::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::Throws;
using ::testing::ThrowsMessage;

std::filesystem::path example(const std::string& name) {
  return testing::repository_file("tests/report/example/" + name);
}

TEST(TrainingRun, HasItsCurvesAndItsBestValidation) {
  const TrainingRun run = read_run(example("runs/vanilla"));
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.update, 1000);
  EXPECT_THAT(run.loss, SizeIs(20));
  EXPECT_THAT(run.dev_bleu, SizeIs(5));
  EXPECT_EQ(run.best_update, 1000);
  EXPECT_DOUBLE_EQ(*run.best_bleu, run.dev_bleu.back().y);
  EXPECT_EQ(run.parameters, 2093568);
  EXPECT_EQ(run.setting("attention"), "vanilla");
  EXPECT_EQ(run.setting("cross"), "");
  EXPECT_EQ(run.setting("seed"), "1");
}

TEST(TrainingRun, ThatIsNotFinishedEndsWithItsLastWholeLine) {
  const TrainingRun run = read_run(example("runs/eatt"));
  EXPECT_EQ(run.state, RunState::unfinished);
  EXPECT_EQ(run.update, 450);
}

TEST(TrainingRun, WhatIsDoneAgainReplacesWhatWasDoneBefore) {
  const testing::TemporaryFolder folder;
  folder.write("log.jsonl",
               "{\"event\":\"progress\",\"update\":10,\"loss\":5}\n"
               "{\"event\":\"progress\",\"update\":20,\"loss\":9}\n"
               "{\"event\":\"resumed\",\"update\":10}\n"
               "{\"event\":\"progress\",\"update\":20,\"loss\":4}\n"
               "{\"event\":\"stopped\",\"update\":20,\"signal\":\"SIGTERM\"}\n");
  const TrainingRun run = read_run(folder.path());
  ASSERT_THAT(run.loss, SizeIs(2));
  EXPECT_EQ(run.loss[1].y, 4);
  EXPECT_EQ(run.state, RunState::stopped);
}

TEST(TrainingRun, SurvivesEventsOfAnotherForm) {
  const testing::TemporaryFolder folder;
  folder.write("log.jsonl",
               "[]\n{\"event\":7}\n{\"event\":\"progress\",\"update\":\"ten\",\"loss\":null}\n"
               "{\"event\":\"validation\",\"update\":-5,\"bleu\":3,\"best\":\"yes\"}\nnot JSON\n");
  const TrainingRun run = read_run(folder.path());
  EXPECT_TRUE(run.loss.empty());
  EXPECT_FALSE(run.best_bleu);
}

TEST(TrainingRun, ALogWithoutEventsIsAnError) {
  const testing::TemporaryFolder folder;
  folder.write("log.jsonl", "something else\n");
  EXPECT_THAT([&] { read_run(folder.path()); },
              ThrowsMessage<Error>(HasSubstr("log.jsonl: has no event of a training")));
}

TEST(StudyFolder, HasItsManifestResultsAndRuns) {
  const StudyRecord record = read_study(example("study"));
  EXPECT_THAT(record.cells, SizeIs(36));
  EXPECT_EQ(record.cells_in("done"), 35);
  EXPECT_THAT(record.studies, SizeIs(6));
  EXPECT_THAT(record.files, SizeIs(6));
  EXPECT_EQ(record.title_of("best"), "E-ATT (best)");
  EXPECT_TRUE(record.cells[0].run);
  EXPECT_THAT(record.results.scores, SizeIs(35));
  EXPECT_TRUE(record.results.scores[1].densities.any());
}

TEST(StudyFolder, DamagedFilesAreNamedWithThePlace) {
  const testing::TemporaryFolder folder;
  folder.write("study.json", "{\"inputs\": {}, \"command\": 7}");
  EXPECT_THAT([&] { read_study(folder.path()); },
              ThrowsMessage<Error>(AllOf(HasSubstr("study.json: command: found 7"))));
  folder.write("study.json", "{\"inputs\": ");
  EXPECT_THAT([&] { read_study(folder.path()); }, Throws<Error>());
}

TEST(Alignments, NeedAWeightForEachPairOfWords) {
  const testing::TemporaryFolder folder;
  const auto read = [&](const std::string& weights) {
    return read_alignments(
        folder.write("alignments.json",
                     "{\"sentences\": [{\"model\": \"m\", \"source\": [\"a\", \"b\"], "
                     "\"target\": [\"c\"], \"weights\": " +
                         weights + "}]}"));
  };
  EXPECT_EQ(read("[[0.25, 0.75]]")[0].weights[0][1], 0.75);
  EXPECT_THAT([&] { read("[[0.25]]"); },
              ThrowsMessage<Error>(HasSubstr("expected a weight for each word of source")));
  EXPECT_THAT([&] { read("[]"); },
              ThrowsMessage<Error>(HasSubstr("expected a row for each word of target")));
}

}  // namespace
}  // namespace eatt::report
