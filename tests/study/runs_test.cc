#include "study/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/files.h"

namespace eatt::study {
namespace {

using ::testing::HasSubstr;

TEST(StudyRun, EndsWithItsLastEvent) {
  const testing::TemporaryFolder folder;
  const std::string finished = "{\"event\":\"finished\",\"update\":60,\"seconds\":90.5}\n";
  folder.write("log.jsonl", "{\"event\":\"progress\",\"update\":50}\n" + finished + "\n");
  EXPECT_TRUE(end_of(folder.path()).finished);
  EXPECT_EQ(end_of(folder.path()).updates, 60);
  EXPECT_EQ(end_of(folder.path()).seconds, 90.5);
  folder.write("log.jsonl", finished + "{\"event\":\"resumed\",\"update\":60}\n");
  EXPECT_FALSE(end_of(folder.path()).finished) << "somebody goes on with it";
  EXPECT_FALSE(end_of(folder / "none").finished);
}

TEST(StudyRun, HasTheSettingsOfItsRecipeWithoutQuotesAndHelp) {
  std::istringstream lines(
      "# Model\npreset = \"paper\"  # Codes\nheads = 4  # Number\ncross = \"\"\n");
  EXPECT_EQ(read_settings(lines), (Settings{{"preset", "paper"}, {"heads", "4"}, {"cross", ""}}));
}

TEST(StudyRun, OfAnotherTrainingIsNotTakenForTheCell) {
  const testing::TemporaryFolder folder;
  const Cell cell{
      .name = "eatt", .title = "E-ATT", .options = {"--preset", "paper", "--attention", "eatt"}};
  StudyOptions options;
  options.output = folder.path();
  options.settings = {{"after", "60u"}, {"preset", "best"}, {"attention", "vanilla"}};
  const auto difference = [&](const std::string& settings) {
    folder.write("cells/eatt-s1/training.toml", settings);
    return difference_of_run(cell, options);
  };
  EXPECT_EQ(difference("after = \"3u\"\n"), "") << "it has not finished: training goes on with it";
  folder.write("cells/eatt-s1/log.jsonl", "{\"event\":\"finished\",\"update\":60}\n");
  EXPECT_EQ(difference("after = \"60u\"\npreset = \"paper\"\nattention = \"eatt\"\nseed = 1\n"),
            "");
  EXPECT_THAT(difference("after = \"3u\"\n"), HasSubstr("was trained with --after 3u, not 60u; "));
  EXPECT_THAT(difference("seed = 2\n"), HasSubstr("was trained with --seed 2, not 1; "));
  EXPECT_THAT(difference("preset = \"best\"\n"), HasSubstr("--preset best, not paper; "));
}

TEST(StudyStep, TrainsOnTheSharedDataWhateverVocabularyIsAskedFor) {
  StudyOptions options;
  options.valid_sets = {"dev.en", "dev.de"};
  for (const std::vector<std::string>& vocabulary :
       {std::vector<std::string>{"--joint-vocab", "false"},
        {"--joint-vocab"},
        {"--joint-vocab=true"},
        {"--vocab-size", "700"}}) {
    options.train_options = {"--dropout", "0.2"};
    options.train_options.insert(options.train_options.begin(), vocabulary.begin(),
                                 vocabulary.end());
    const auto words = steps_of({.name = "eatt", .title = "", .options = {}}, options, 1)[0].words;
    EXPECT_EQ(typed(words).substr(0, 40), "eatt train --recipe '' --dropout 0.2 --s");
  }
}

}  // namespace
}  // namespace eatt::study
