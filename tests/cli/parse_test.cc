#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/suggest.h"

namespace eatt::cli {
namespace {

using ::testing::ElementsAre;

struct Settings {
  std::string model;
  std::vector<std::string> files;
  std::vector<std::string> pair;
  std::vector<std::string> metrics = {"bleu"};
  int size = 4;
  std::string count;
  bool loud = false;
};

// Runs `program work ARGUMENTS`; returns the exit code.
int run_work(std::vector<std::string> arguments, Settings& settings) {
  Program program("program", "For a test");
  Command& command = program.add_command("work", "Works", "program work");
  command.add_option("MODEL", settings.model, "A model").required();
  command.add_option("-f,--files", settings.files, "Files").shows("FILE...");
  command.add_option("--pair", settings.pair, "Two files").takes(2).shows("SRC TGT");
  command.add_option("--metrics", settings.metrics, "Names").split_at(',').shows("NAME,...");
  command.add_option("-s,--size", settings.size, "A size", Range{1, 9}).shows("N");
  command.add_option("--count", settings.count, "A count, or all").takes(0, 1).shows("[N]");
  command.add_flag("--loud", settings.loud, "Loud");
  command.on_run([] {});
  arguments.insert(arguments.begin(), {"program", "work"});
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return program.run(static_cast<int>(argv.size()), argv.data());
}

TEST(Parse, OfAnOptionGivenTwiceTheLastCounts) {
  Settings settings;
  EXPECT_EQ(
      run_work({"--size", "3", "m", "--size=5", "--pair", "a", "b", "--pair", "c", "d"}, settings),
      kDone);
  EXPECT_EQ(settings.size, 5);
  EXPECT_THAT(settings.pair, ElementsAre("c", "d"));
}

TEST(Parse, ListsGivenTwiceArePutTogether) {
  Settings settings;
  EXPECT_EQ(run_work({"m", "--files", "a", "b", "--loud", "--files", "c", "--metrics", "ter,chrf",
                      "--metrics=bleu"},
                     settings),
            kDone);
  EXPECT_THAT(settings.files, ElementsAre("a", "b", "c"));
  EXPECT_THAT(settings.metrics, ElementsAre("ter", "chrf", "bleu"));
}

TEST(Parse, AListLeavesTheLastWordToARequiredArgument) {
  Settings settings;
  EXPECT_EQ(run_work({"--files", "a", "b", "m"}, settings), kDone);
  EXPECT_THAT(settings.files, ElementsAre("a", "b"));
  EXPECT_EQ(settings.model, "m");
}

TEST(Parse, ShortNamesTakeTheirValueWithAndWithoutASpace) {
  Settings settings;
  EXPECT_EQ(run_work({"m", "-s7"}, settings), kDone);
  EXPECT_EQ(settings.size, 7);
  EXPECT_EQ(run_work({"m", "-s", "8", "-f", "-", "x"}, settings), kDone);
  EXPECT_EQ(settings.size, 8);
  EXPECT_THAT(settings.files, ElementsAre("-", "x"));
}

TEST(Parse, AnOptionalValueMayBeLeftOut) {
  Settings settings;
  EXPECT_EQ(run_work({"m", "--count", "--loud"}, settings), kDone);
  EXPECT_EQ(settings.count, "true");
  EXPECT_EQ(run_work({"m", "--count", "3"}, settings), kDone);
  EXPECT_EQ(settings.count, "3");
}

TEST(Parse, WhatFollowsTwoHyphensIsNoOption) {
  Settings settings;
  EXPECT_EQ(run_work({"--", "--loud"}, settings), kDone);
  EXPECT_EQ(settings.model, "--loud");
  EXPECT_FALSE(settings.loud);
}

TEST(Suggest, FindsTheNearestNameOrOneThatBeginsLikeIt) {
  const std::vector<std::string> names = {"--beam-size", "--length-penalty", "--seed", "-b"};
  EXPECT_EQ(nearest_name("--beam-sise", names), "--beam-size");
  EXPECT_EQ(nearest_name("--baem-size", names), "--beam-size");
  EXPECT_EQ(nearest_name("--length", names), "--length-penalty");
  EXPECT_EQ(nearest_name("--sede", names), "--seed");
  EXPECT_EQ(nearest_name("--attention", names), "");
  EXPECT_EQ(nearest_name("--penalty", names), "--length-penalty");
  EXPECT_EQ(nearest_name("--seed-value", names), "--seed");
  EXPECT_EQ(nearest_name("--reseed", names), "--seed") << "two letters too many";
  EXPECT_EQ(nearest_name("-x", names), "");
}

}  // namespace
}  // namespace eatt::cli
