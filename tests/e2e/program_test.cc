#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;

TEST(Program, VersionTellsBuildCpuAndLibraries) {
  const auto result = run("eatt", {"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("eatt 0."), HasSubstr("commit"), HasSubstr("cpu:"),
                                HasSubstr("libraries: fmt ")));
}

TEST(Program, HelpGoesToStandardOutputAndEndsWithZero) {
  const auto result = run("eatt", {"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("corpus"), HasSubstr("energy"), HasSubstr("train")));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Program, WrongUsageIsOneLineAndExitCodeTwo) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"no-such-command"}, {"corpus"}, {"--no-such-option"}}) {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_THAT(result.err, HasSubstr("--help"));
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST(Program, WhereACommandIsExpectedItSaysWhatWasFoundAndWhichThereAre) {
  EXPECT_THAT(run("eatt", {"energy", "nonsense"}).err,
              HasSubstr("unknown command 'nonsense'; expected one of chips, formulas, measure, "
                        "model, trace; see `eatt energy --help`"));
  EXPECT_THAT(run("eatt", {"nonsense"}).err,
              AllOf(HasSubstr("unknown command 'nonsense'; expected one of "),
                    HasSubstr("translate"), HasSubstr("train")));
  EXPECT_THAT(run("eatt", {"energy"}).err, HasSubstr("no command is given; expected one of "));
}

TEST(Program, TrainWithoutEattTrainSaysWhereItLookedAndHowToBuildIt) {
  // A copy of eatt in a folder of its own has no eatt-train beside it.
  const testing::TemporaryFolder folder;
  std::filesystem::copy_file(testing::program_path("eatt"), folder / "eatt");
  setenv("PATH", "/nonexistent", 1);
  const auto result = run((folder / "eatt").string(), {"train", "--help"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("eatt-train"), HasSubstr(folder.path().string()),
                                HasSubstr("--preset release")));
}

TEST(Program, TrainIsHandedOverWithItsArguments) {
  const testing::TemporaryFolder folder;
  std::filesystem::copy_file(testing::program_path("eatt"), folder / "eatt");
  const auto script = folder.write("eatt-train", "#!/bin/sh\necho \"$@\"\nexit 7\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto result = run((folder / "eatt").string(), {"train", "--recipe", "two words"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "train --recipe two words\n");
}

TEST(Program, ServeIsHandedOverToItsOwnProgramOrSaysHowToBuildIt) {
  const testing::TemporaryFolder folder;
  std::filesystem::copy_file(testing::program_path("eatt"), folder / "eatt");
  setenv("PATH", "/bin", 1);
  const auto missing = run((folder / "eatt").string(), {"serve", "model"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("eatt-serve"), HasSubstr("--preset release")));
  const auto script = folder.write("eatt-serve", "#!/bin/sh\necho \"$@\"\nexit 7\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto result = run((folder / "eatt").string(), {"-q", "serve", "a model", "--port", "0"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "-q serve a model --port 0\n");
}

TEST(Program, LogOptionsBeforeTrainAreHandedOverToo) {
  const testing::TemporaryFolder folder;
  std::filesystem::copy_file(testing::program_path("eatt"), folder / "eatt");
  const auto script = folder.write("eatt-train", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto handed_over = [&](const std::vector<std::string>& arguments) {
    return run((folder / "eatt").string(), arguments).out;
  };
  EXPECT_EQ(handed_over({"--log-format", "json", "train", "--dry-run"}),
            "--log-format json train --dry-run\n");
  EXPECT_EQ(handed_over({"--log_format", "plain", "--quiet", "export"}),
            "--log_format plain --quiet export\n");
  EXPECT_EQ(handed_over({"--log-format=json", "average"}), "--log-format=json average\n");
}

TEST(Program, AWrongValueIsToldWithWhatWasFoundAndExpected) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_EQ(complaint({"evaluate", "--width", "20"}),
            "eatt: --width is '20'; expected an integer from 0 to 17\n");
  EXPECT_EQ(complaint({"evaluate", "--smooth", "much"}),
            "eatt: --smooth is 'much'; expected exp, floor, add-k or none\n");
  EXPECT_EQ(complaint({"translate", "--beam-size", "four", "model"}),
            "eatt: --beam-size is 'four'; expected an integer from 1 to 10000\n");
}

}  // namespace
}  // namespace eatt
