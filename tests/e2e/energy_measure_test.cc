#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/dialogue.h"
#include "support/fake_powercap.h"
#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using testing::Dialogue;
using testing::FakePowercap;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_text;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

// The programs it starts find a package at 1 J, and nothing else.
class EnergyMeasure : public ::testing::Test {
 protected:
  EnergyMeasure() {
    powercap_.add("intel-rapl:0", "package-0", 1'000'000);
    ::setenv("EATT_POWERCAP", powercap_.path().c_str(), 1);
  }
  ~EnergyMeasure() override { ::unsetenv("EATT_POWERCAP"); }

  static void take_meter_away() { ::setenv("EATT_POWERCAP", "/nowhere", 1); }

  // eatt energy measure OPTIONS -- sh -c SCRIPT
  static std::vector<std::string> words(std::vector<std::string> options,
                                        const std::string& script) {
    options.insert(options.begin(), {"energy", "measure"});
    options.insert(options.end(), {"--", "sh", "-c", script});
    return options;
  }
  static RunResult measure(const std::vector<std::string>& options, const std::string& script,
                           std::string_view input = {}) {
    return run("eatt", words(options, script), input);
  }
  // A script that lets the counter go on to so many microjoules, and takes long enough for it.
  std::string count_to(const std::string& microjoules) const {
    return "sleep 0.02; echo " + microjoules + " > " + powercap_.energy_file("intel-rapl:0");
  }
  // A shell's line with eatt as $0.
  static RunResult run_in_shell(const std::string& line) {
    return run("/bin/sh", {"-c", line, testing::program_path("eatt").string()});
  }

  FakePowercap powercap_;
};

TEST_F(EnergyMeasure, TellsJoulesOfTheMachineOnStandardError) {
  const auto result = measure({}, "echo out; " + count_to("3500000"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_THAT(result.err, AllOf(StartsWith("seconds: "), HasSubstr("package-0   2.500"),
                                HasSubstr("whole machine"), Not(HasSubstr("total"))));
}

TEST_F(EnergyMeasure, LeavesTheStreamsOfTheCommandAlone) {
  const TemporaryFolder folder;
  const auto result =
      measure({"--output", (folder / "energy").string()}, "cat; echo error >&2", "a\nb\n");
  EXPECT_EQ(result.out, "a\nb\n");
  EXPECT_EQ(result.err, "error\n");
}

TEST_F(EnergyMeasure, EndsWithTheExitCodeOfTheCommand) {
  EXPECT_EQ(measure({}, "exit 3").exit_code, 3);
  EXPECT_EQ(measure({}, "kill -9 $$").exit_code, 137);
  take_meter_away();
  EXPECT_EQ(measure({}, "exit 3").exit_code, 3);
}

TEST_F(EnergyMeasure, ACommandThatCannotBeRunIsOneSentence) {
  const auto missing = run("eatt", {"energy", "measure", "--", "no-such-program"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_EQ(missing.err, "eatt: no-such-program: cannot be started: No such file or directory\n");
  const auto folder = run("eatt", {"energy", "measure", "--repeat", "3", "--", "/tmp"});
  EXPECT_EQ(folder.exit_code, 126);
  EXPECT_EQ(folder.err, "eatt: /tmp: cannot be started: Permission denied\n");
}

TEST_F(EnergyMeasure, UnavailableIsSaidAndTheCommandRunsAllTheSame) {
  take_meter_away();
  const auto result = measure({"--idle", "600"}, "echo out");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_THAT(split_lines(result.err), SizeIs(2));
  EXPECT_THAT(result.err, HasSubstr("has no energy counters: /nowhere does not exist"));
}

TEST_F(EnergyMeasure, WhereItIsRequiredNothingRunsWithoutIt) {
  const auto good = measure({"--require"}, "echo out; " + count_to("2000000"));
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_EQ(good.out, "out\n");
  take_meter_away();
  const auto result = measure({"--require"}, "echo out");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(split_lines(result.err), SizeIs(1));
  EXPECT_THAT(result.err, HasSubstr("/nowhere does not exist"));
}

TEST_F(EnergyMeasure, ADomainThatDisappearsMeanwhileIsUnavailable) {
  const std::string script = "rm " + powercap_.energy_file("intel-rapl:0");
  const auto result = measure({"--require"}, script);
  EXPECT_EQ(result.exit_code, 1) << "it was required";
  EXPECT_THAT(result.err, AllOf(HasSubstr("energy: unavailable ("), HasSubstr("No such file"),
                                Not(HasSubstr("joules"))));
  powercap_.set_energy("intel-rapl:0", 0);
  EXPECT_EQ(measure({}, script).exit_code, 0);
}

TEST_F(EnergyMeasure, AWrapIsCounted) {
  const FakePowercap almost;
  almost.add("intel-rapl:0", "package-0", FakePowercap::kRange - 1'000'000);
  ::setenv("EATT_POWERCAP", almost.path().c_str(), 1);
  const auto result =
      measure({}, "sleep 0.02; echo 2000000 > " + almost.energy_file("intel-rapl:0"));
  EXPECT_THAT(result.err, HasSubstr("package-0   3.000"));
}

TEST_F(EnergyMeasure, JsonCanGoToAFile) {
  const TemporaryFolder folder;
  const std::string file = (folder / "energy.json").string();
  const auto result = measure({"--json", "--output", file}, count_to("3500000"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  const auto json = nlohmann::json::parse(read_text(file));
  EXPECT_EQ(json["command"][0], "sh");
  EXPECT_EQ(json["runs"][0]["joules"]["package-0"], 2.5);
  EXPECT_EQ(json["measured_energy"]["domains"][0]["joules"]["mean"], 2.5);
}

TEST_F(EnergyMeasure, AFileThatCannotBeWrittenIsKnownBeforeTheCommandRuns) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "").string();
  const auto result = measure({"--output", file + "/energy.json"}, "echo out");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
}

TEST_F(EnergyMeasure, RepeatsUntilARunFails) {
  const auto all = measure({"--repeat", "3"}, "echo out");
  EXPECT_EQ(all.out, "out\nout\nout\n");
  EXPECT_THAT(all.err, HasSubstr("mean and standard deviation of 3 runs"));
  const TemporaryFolder folder;
  const std::string seen = (folder / "seen").string();
  const auto some = measure({"--repeat", "3"}, "test ! -e " + seen + " && touch " + seen);
  EXPECT_EQ(some.exit_code, 1);
  EXPECT_THAT(some.err,
              HasSubstr("run 2 of 3: ended with exit code 1, is not counted, is the last"));
}

TEST_F(EnergyMeasure, ThatTheOnlyRunFailedIsSaid) {
  EXPECT_THAT(measure({}, "exit 3").err, HasSubstr("\nrun 1 of 1: ended with exit code 3\n"));
}

TEST_F(EnergyMeasure, CountersThatStandStillAreNoZero) {
  const auto result = measure({}, "sleep 0.15");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("energy: unavailable ("), HasSubstr("(package-0)"),
                                HasSubstr("does not move"), Not(HasSubstr("joules"))));
}

TEST_F(EnergyMeasure, CountersThatAreResetMeanwhileAreNoWrap) {
  const auto result = measure({}, count_to("999999"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("energy: unavailable ("), HasSubstr("(package-0)"),
                                HasSubstr("from 1000000 to 999999"), Not(HasSubstr("joules"))));
}

// Lets a counter go on while it lives.
class MovingCounter {
 public:
  explicit MovingCounter(const FakePowercap& powercap)
      : thread_([this, &powercap] {
          for (uint64_t microjoules = 1'000'000; !done_; microjoules += 10'000) {
            powercap.set_energy("intel-rapl:0", microjoules);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  ~MovingCounter() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

TEST_F(EnergyMeasure, IdlePowerHasItsOwnColumns) {
  const MovingCounter moving(powercap_);
  const auto result = measure({"--idle", "0.2"}, "sleep 0.2");
  EXPECT_THAT(result.err, AllOf(HasSubstr("idle watts"), HasSubstr("joules above idle")));
}

TEST_F(EnergyMeasure, SignalsReachTheCommandWhichDecides) {
  for (const auto& [number, name] :
       {std::pair{SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}}) {
    Dialogue dialogue("eatt",
                      words({"--repeat", "5"}, std::string("trap 'echo got; exit 0' ") + name +
                                                   "; echo ready; "
                                                   "while :; do sleep 0.05; done"));
    EXPECT_EQ(dialogue.line(), "ready");
    dialogue.send_signal(number);
    EXPECT_EQ(dialogue.line(), "got");
    EXPECT_EQ(dialogue.line(), "<nothing>") << "a stopped command is not repeated";
    EXPECT_EQ(dialogue.wait(), 0);
  }
}

TEST_F(EnergyMeasure, TheSignalThatEndsASeriesIsNamed) {
  const TemporaryFolder folder;
  const std::string file = (folder / "energy.json").string();
  Dialogue dialogue("eatt",
                    words({"--repeat", "5", "--json", "-o", file}, "echo ready; exec sleep 60"));
  EXPECT_EQ(dialogue.line(), "ready");
  dialogue.send_signal(SIGTERM);
  EXPECT_EQ(dialogue.wait(), 128 + SIGTERM);
  EXPECT_EQ(nlohmann::json::parse(read_text(file))["runs"][0]["stopped_by"], "SIGTERM");
}

TEST_F(EnergyMeasure, ASignalThatWasIgnoredFromTheStartEndsNoSeries) {
  Dialogue dialogue(
      "/bin/sh", {"-c", "trap '' HUP; exec \"$0\" \"$@\"", testing::program_path("eatt").string(),
                  "energy", "measure", "--repeat", "3", "--", "sh", "-c", "echo run; sleep 0.2"});
  EXPECT_EQ(dialogue.line(), "run");
  dialogue.send_signal(SIGHUP);
  EXPECT_EQ(dialogue.line(), "run");
  EXPECT_EQ(dialogue.line(), "run");
  EXPECT_EQ(dialogue.wait(), 0);
}

size_t files_in(const TemporaryFolder& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST_F(EnergyMeasure, StoppedWhileIdlingItLeavesNothingBehind) {
  const TemporaryFolder folder;
  Dialogue dialogue("eatt",
                    words({"--idle", "60", "-o", (folder / "r.json").string()}, "echo out"));
  while (files_in(folder) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  dialogue.send_signal(SIGTERM);
  EXPECT_EQ(dialogue.wait(), 128 + SIGTERM);
  EXPECT_EQ(dialogue.line(), "<nothing>") << "the command has not run";
  EXPECT_EQ(files_in(folder), 0u);
}

TEST_F(EnergyMeasure, StoppedAtAnyMomentOfASeriesItSavesTheReport) {
  for (int i = 0; i < 10; ++i) {
    const TemporaryFolder folder;
    Dialogue dialogue("eatt", {"energy", "measure", "--repeat", "100000", "--json", "-o",
                               (folder / "r.json").string(), "--", "echo", "run"});
    EXPECT_EQ(dialogue.line(), "run");
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + 171 * i));
    dialogue.send_signal(SIGTERM);
    const int exit_code = dialogue.wait();
    EXPECT_THAT(exit_code, ::testing::AnyOf(0, 128 + SIGTERM)) << "the command's, or between two";
    ASSERT_EQ(files_in(folder), 1u);
    const auto json = nlohmann::json::parse(read_text(folder / "r.json"));
    const auto& stopped = json.contains("stopped_by") ? json : json["runs"].back();
    EXPECT_EQ(stopped["stopped_by"], "SIGTERM");
  }
}

TEST_F(EnergyMeasure, AReportThatCannotBeWrittenIsAFailure) {
  for (const std::string broken : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(run_in_shell("\"$0\" energy measure -- true " + broken).exit_code, 1) << broken;
    EXPECT_EQ(run_in_shell("\"$0\" energy measure -- sh -c 'exit 3' " + broken).exit_code, 3)
        << "the command's own failure comes first";
  }
}

TEST_F(EnergyMeasure, StandardOutputThatIsAFileIsAddedToAndNotReplaced) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log", "before\n").string();
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const auto result = run_in_shell("\"$0\" energy measure -o " + name + " -- echo out >> " + log);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(read_text(log), StartsWith("before\nout\nseconds: ")) << name;
    folder.write("log", "before\n");
  }
}

TEST_F(EnergyMeasure, ACommandThatASignalEndsGivesItsCode) {
  Dialogue dialogue("eatt", words({}, "echo ready; exec sleep 60"));
  EXPECT_EQ(dialogue.line(), "ready");
  dialogue.send_signal(SIGTERM);
  EXPECT_EQ(dialogue.wait(), 128 + SIGTERM);
}

TEST_F(EnergyMeasure, WordsBehindTheMarkAreTheCommandsOwn) {
  const TemporaryFolder folder;
  const std::string file = (folder / "energy").string();
  const auto result = run("eatt", {"--quiet", "energy", "measure", "--output", file, "--", "printf",
                                   "%s\n", "--json", "[a,b]", "", "--", "--snake_case"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "--json\n[a,b]\n\n--\n--snake_case\n");
}

TEST_F(EnergyMeasure, HelpShowsWhereTheCommandStands) {
  EXPECT_THAT(run("eatt", {"energy", "measure", "--help"}).out,
              HasSubstr("Usage: eatt energy measure [OPTIONS] -- COMMAND ARGUMENTS...\n"));
}

TEST_F(EnergyMeasure, WrongUsageIsOneSentenceAndExitCodeTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "give it after --"},
      {{"--"}, "give it after --"},
      {{"sh", "-c", "exit 3"},
       "'sh' is not expected before --; use `eatt energy measure -- COMMAND ARGUMENTS...`"},
      {{"--repaet", "3", "--", "true"},
       "unknown option --repaet (did you mean --repeat?); see `eatt energy measure --help`"},
      {{"--repeat", "0", "--", "true"}, "--repeat is '0'"},
      {{"--idle", "-1", "--", "true"}, "--idle is '-1'; expected a number from 0.01 to 86400"},
      {{"--idle", "nan", "--", "true"}, "--idle is 'nan'"},
  };
  for (const auto& [options, sentence] : cases) {
    std::vector<std::string> arguments = {"energy", "measure"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, 2) << sentence;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_THAT(result.err, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace eatt
