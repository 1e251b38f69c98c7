#include "cli/energy/foreign_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace eatt::cli {
namespace {

TEST(CommandRunner, TakesASignalThatCameBetweenCommands) {
  const CommandRunner commands;
  EXPECT_EQ(commands.run({"true"}).exit_code, 0);
  ::kill(::getpid(), SIGTERM);
  const auto signal = commands.wait(0);
  ASSERT_TRUE(signal.has_value());
  EXPECT_EQ(signal->number, SIGTERM);
  EXPECT_EQ(signal->name, "SIGTERM");
  EXPECT_FALSE(commands.wait(0).has_value()) << "it is taken";
}

TEST(CommandRunner, WaitsForAsLongAsItIsTold) {
  const CommandRunner commands;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(commands.wait(0.05).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(49));
}

TEST(CommandRunner, SignalsForTheCommandAloneAskNobodyToStop) {
  const CommandRunner commands;
  ::kill(::getpid(), SIGUSR1);
  EXPECT_FALSE(commands.wait(0).has_value());
  const CommandEnd end = commands.run({"sh", "-c", "exec sleep 60"});
  EXPECT_EQ(end.exit_code, kEndedBySignal + SIGUSR1) << "kept for the next command";
  EXPECT_FALSE(end.stopped_by.has_value());
}

TEST(CommandRunner, WhatWasIgnoredStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    const CommandRunner commands;
    ::kill(::getpid(), SIGHUP);
    EXPECT_FALSE(commands.wait(0).has_value());
    const CommandEnd end = commands.run({"sh", "-c", "kill -HUP $$; exit 7"});
    EXPECT_EQ(end.exit_code, 7) << "by the command, too";
  }
  std::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace eatt::cli
