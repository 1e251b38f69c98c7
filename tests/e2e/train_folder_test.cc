// The folder of a run: training neither overwrites what somebody else put there, nor mixes with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TrainFolder : public Train {
 protected:
  static void expect_refused(const RunResult& result, const std::string& reason) {
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }
};

TEST_F(TrainFolder, AFolderOfOtherFilesIsRefusedBeforeAnythingIsWritten) {
  for (const char* name : {"training.toml", "train.log", "log.jsonl", "run.json", "data/a.txt",
                           "best/a.txt", "last/a.txt", "checkpoints/model.pt", "thesis.tex"}) {
    const fs::path file = folder_.write("mine/" + std::string(name), "my own\n");
    const std::string first = fs::path(name).begin()->string();
    expect_refused(run("eatt", command("mine")), "--model " + path("mine") +
                                                     " holds files that eatt did not make (" +
                                                     first + "); choose another folder");
    EXPECT_EQ(read_text(file), "my own\n");
    fs::remove_all(path("mine") + "/" + first);
    EXPECT_TRUE(fs::is_empty(path("mine"))) << name;
  }
}

TEST_F(TrainFolder, TheWorkingFolderIsNotFilledWithARun) {
  const auto result = shell("cd '" + corpus("") + "' && " + shell_command("run", {"--model", "."}));
  expect_refused(result,
                 "--model . holds files that eatt did not make (dev.align, dev.en, dev.zh, "
                 "…); choose another folder");
  EXPECT_FALSE(fs::exists(corpus("checkpoints")));
}

TEST_F(TrainFolder, ARecipeInTheFolderOfTheRunIsNotOverwritten) {
  const std::string text = "# As in the paper, but smaller.\nheads = 2\n";
  const std::string recipe = folder_.write("mine/training.toml", text).string();
  expect_refused(run("eatt", command("mine", {"--recipe", recipe})),
                 "--recipe " + recipe + " would be overwritten");
  EXPECT_EQ(read_text(recipe), text);
}

TEST_F(TrainFolder, ARunContinuesWithItsOwnRecipeAndKeepsNotesBesideIt) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  const std::string recipe = path("run/training.toml");
  folder_.write("run/notes.txt", "my notes\n");
  const auto again = run("eatt", {"train", "--recipe", recipe, "--model", path("run")});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const auto longer = run("eatt", {"train", "--model", path("run"), "--after", "10u"});
  EXPECT_EQ(longer.exit_code, 0) << longer.err;
  EXPECT_EQ(read_text(path("run/notes.txt")), "my notes\n");
  // Somebody's comment would be lost.
  const std::string edited = "# mine\n" + read_text(recipe);
  folder_.write("run/training.toml", edited);
  expect_refused(run("eatt", {"train", "--recipe", recipe, "--model", path("run")}),
                 "would be overwritten");
  EXPECT_EQ(read_text(recipe), edited);
}

TEST_F(TrainFolder, ARunThatWasKilledWhileItWroteDownItsOptionsStartsAgain) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  const fs::path options = path("run/training.toml");
  EXPECT_LE(fs::last_write_time(path("run/run.json")), fs::last_write_time(options))
      << "training.toml alone looks like somebody's recipe";
  fs::remove(options);
  for (const char* made : {"checkpoints", "best", "last", "log.jsonl", "train.log"}) {
    fs::remove_all(path("run") + "/" + made);
  }
  fs::create_directory(path("run/checkpoints"));
  const auto again = run("eatt", command("run", {"--after", "5u"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(TrainFolder, TheLogOfTheShellAndHiddenFilesMayBeInTheFolder) {
  folder_.write("run/.gitignore", "*\n");
  const auto result =
      shell(shell_command("run", {"--after", "5u"}) + " > '" + path("run/out.txt") + "' 2>&1");
  EXPECT_EQ(result.exit_code, 0) << read_text(path("run/out.txt"));
}

}  // namespace
}  // namespace eatt::testing
