#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/run.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

RunResult truecase(std::vector<std::string> arguments, std::string_view input = {}) {
  arguments.insert(arguments.begin(), {"corpus", "truecase"});
  return run("eatt", arguments, input);
}

TEST(CorpusTruecase, TrainApplyAndUndoGiveTheTextBack) {
  const TemporaryFolder folder;
  const std::string model = folder / "truecase.en";
  const std::string text = "The cat saw the dog .\n\n\" Paris \" , said the cat . The end";
  const auto trained = truecase({"train", "--model", model}, text);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, IsEmpty());

  const auto applied = truecase({"apply", "--model", model}, text);
  ASSERT_EQ(applied.exit_code, 0) << applied.err;
  EXPECT_EQ(applied.out, "the cat saw the dog .\n\n\" Paris \" , said the cat . the end");
  EXPECT_EQ(truecase({"undo"}, applied.out).out, text);
}

TEST(CorpusTruecase, TrainReadsSeveralFilesAsIfTheyWereOne) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "X the\n");
  const std::string two = folder.write("two", "X The The\n");
  const std::string model = folder / "model";
  ASSERT_EQ(truecase({"train", "--model", model, "--corpus", one, two}).exit_code, 0);
  EXPECT_EQ(read_text(model), "The (2/3) the (1)\n");
}

TEST(CorpusTruecase, FilesMayBeCompressedOnTheWayInAndOut) {
  const TemporaryFolder folder;
  const std::string text = "The cat saw the dog .\n\nThe end";
  const std::string packed = folder.write("text.gz", testing::gzip(text));
  const std::string model = folder / "model", out = folder / "out.gz", back = folder / "back";
  ASSERT_EQ(truecase({"train", "--model", model, "--corpus", packed}).exit_code, 0);
  const auto applied = truecase({"apply", "--model", model, "-i", packed, "-o", out});
  ASSERT_EQ(applied.exit_code, 0) << applied.err;
  EXPECT_THAT(applied.out, IsEmpty());
  EXPECT_EQ(run("/usr/bin/gzip", {"-t", out}).exit_code, 0);
  EXPECT_EQ(run("/usr/bin/gzip", {"-dc", out}).out, "the cat saw the dog .\n\nthe end");
  ASSERT_EQ(truecase({"undo", "-i", out, "-o", back}).exit_code, 0);
  EXPECT_EQ(read_text(back), text);
}

TEST(CorpusTruecase, FlagsReachTraining) {
  const TemporaryFolder folder;
  const std::string model = folder / "model";
  ASSERT_EQ(
      truecase({"train", "--model", model, "--possibly-use-first-token"}, "word\nWord\n").exit_code,
      0);
  EXPECT_EQ(read_text(model), "word (1/1.1) Word (0.1)\n");
  ASSERT_EQ(truecase({"train", "--model", model, "--raw-text"}, "X (word). Y\n").exit_code, 0);
  EXPECT_EQ(read_text(model), "word (1/1)\n");
  EXPECT_EQ(truecase({"apply", "--model", model, "--raw-text"}, "\"Word\"\n").out, "\"word\"\n");
  EXPECT_EQ(truecase({"undo", "--raw-text"}, "\"word\"\n").out, "\"Word\"\n");
}

TEST(CorpusTruecase, EmptyInputGivesEmptyOutput) {
  const TemporaryFolder folder;
  const std::string model = folder.write("model", "the (1/1)\n");
  for (const auto& result : {truecase({"apply", "--model", model}), truecase({"undo"})}) {
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST(CorpusTruecase, TextThatTeachesNothingLeavesTheOldModelAlone) {
  const TemporaryFolder folder;
  const std::string model = folder.write("model", "the (1/1)\n");
  const auto result = truecase({"train", "--model", model}, "Word\n\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("model"), HasSubstr("2 lines")));
  EXPECT_EQ(read_text(model), "the (1/1)\n");
}

TEST(CorpusTruecase, WordsThatAreNotUtf8AreReported) {
  const TemporaryFolder folder;
  const auto result = truecase({"train", "--model", folder / "model"}, "x y\xFF z\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("left out: 1 word with invalid UTF-8"));
}

TEST(CorpusTruecase, ErrorsAreOneLineThatNamesTheFile) {
  const TemporaryFolder folder;
  const std::string damaged = folder.write("damaged", "the (1/1)\nhouse (\n");
  const auto apply = truecase({"apply", "--model", damaged}, "x\n");
  EXPECT_EQ(apply.exit_code, 1);
  EXPECT_THAT(split_lines(apply.err), SizeIs(1));
  EXPECT_THAT(apply.err, AllOf(HasSubstr("damaged: line 2"), HasSubstr("'('")));

  const std::string absent = folder / "absent";
  const auto train = truecase({"train", "--model", folder / "m", "--corpus", absent});
  EXPECT_EQ(train.exit_code, 1);
  EXPECT_THAT(train.err, HasSubstr(absent));
  const auto on_folder = truecase({"train", "--model", folder / "m", "--corpus", folder.path()});
  EXPECT_EQ(on_folder.exit_code, 1);
  EXPECT_THAT(on_folder.err, HasSubstr(folder.path().string()));

  EXPECT_EQ(truecase({}).exit_code, 2);
  EXPECT_EQ(truecase({"apply"}, "x\n").exit_code, 2);
}

TEST(CorpusTruecase, RealTextKeepsItsLinesAndAllButItsCase) {
  const auto data = testing::shared_data("iwslt15-en-vi");
  if (!data) GTEST_SKIP() << "needs ../shared/data/iwslt15-en-vi";
  const std::string text = read_text(*data / "tst2012.en");
  const TemporaryFolder folder;
  const std::string model = folder / "model";
  ASSERT_EQ(truecase({"train", "--model", model}, text).exit_code, 0);
  const auto applied = truecase({"apply", "--model", model}, text);
  const std::vector<std::string> lines = split_lines(text);
  const std::vector<std::string> restored = split_lines(truecase({"undo"}, applied.out).out);
  EXPECT_NE(applied.out, text);
  EXPECT_EQ(applied.out.size(), text.size());
  ASSERT_EQ(restored.size(), lines.size());
  size_t same = 0;
  for (size_t i = 0; i < lines.size(); ++i) same += restored[i] == lines[i];
  // Most of the rest have a small letter after a colon or at the start of the line.
  EXPECT_GE(same, lines.size() * 97 / 100);
}

}  // namespace
}  // namespace eatt
