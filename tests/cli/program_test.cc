#include "cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace eatt::cli {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::optional<double> rate;
  int size = 4;
  bool loud = false;
  std::vector<std::string> words;
};

// Runs `program work ARGUMENTS`; returns the exit code.
int run_work(std::vector<std::string> arguments, Settings& settings) {
  Program program("program", "For a test");
  Command& command = program.add_command("work", "Works", "program work");
  command.add_option("FILE", settings.files, "Files");
  command.add_option("--rate", settings.rate, "How fast");
  command.add_option("--size", settings.size, "How large", Range{1, 9});
  command.add_flag("--loud", settings.loud, "How loud");
  command.take_words(settings.words, "[-- WORDS]");
  command.on_run([] {});
  arguments.insert(arguments.begin(), {"program", "work"});
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return program.run(static_cast<int>(argv.size()), argv.data());
}

TEST(Command, ReadsListsNumbersFlagsAndWordsForAnotherProgram) {
  Settings settings;
  EXPECT_EQ(
      run_work({"a", "b", "--rate", "0.5", "--loud", "--size=7", "--", "--size", "99"}, settings),
      kDone);
  EXPECT_THAT(settings.files, ::testing::ElementsAre("a", "b"));
  EXPECT_EQ(settings.rate, 0.5);
  EXPECT_EQ(settings.size, 7);
  EXPECT_TRUE(settings.loud);
  EXPECT_THAT(settings.words, ::testing::ElementsAre("--size", "99"));
}

TEST(Command, AValueOutOfRangeIsWrongUsageAndChangesNothing) {
  Settings settings;
  EXPECT_EQ(run_work({"--size", "10"}, settings), kWrongUsage);
  EXPECT_EQ(settings.size, 4);
  EXPECT_EQ(run_work({"--rate", "fast"}, settings), kWrongUsage);
  EXPECT_EQ(settings.rate, std::nullopt);
}

}  // namespace
}  // namespace eatt::cli
