// Signals that ask a program to end: it ends soon, says so, and leaves nothing half written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/dialogue.h"
#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::Dialogue;
using ::testing::HasSubstr;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;

class Stopping : public ::testing::Test {
 protected:
  // The tests may run in the background of a script, where Ctrl-C is ignored.
  Stopping() { std::signal(SIGINT, SIG_DFL); }

  std::string in(std::string_view name) const { return (folder_ / name).string(); }

  // Runs a command of eatt in a shell, and sends it the signals once `file` is there. With `set
  // -m`, because a shell starts background jobs with SIGINT ignored otherwise.
  RunResult stop(const std::string& command, const std::string& file,
                 const std::vector<std::string>& signals) const {
    std::string script = "PATH=/usr/bin:/bin; set -m; '" + testing::program_path("eatt").string() +
                         "' " + command + " & pid=$!; set +m; until [ -e " + file +
                         "$pid ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done; sleep 0.2; ";
    for (const std::string& signal : signals) script += "kill -" + signal + " $pid; ";
    return run("/bin/bash", {"-c", script + "wait $pid"});
  }
  // Files that are there beside those of the test.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.find(".tmp-") != name.npos) names.push_back(name);
    }
    return names;
  }

  testing::TemporaryFolder folder_;
  const std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  // One line of one word, on which a beam of 64 works for minutes.
  const std::string long_ = folder_.write("long.txt", std::string(2'000'000, 'w') + "\n").string();
  const std::string slow_ = "translate " + bundle_ + " --cpu-threads 1 -b 64 -i " + long_;
};

TEST_F(Stopping, ALongLineIsLeftInTheMiddle) {
  for (const auto& [signal, code] : {std::pair{"TERM", 143}, {"INT", 130}, {"HUP", 129}}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = stop(slow_ + " -o " + in("out"), in("out.tmp-"), {signal});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(result.exit_code, code);
    const std::string name = std::string(signal) == "INT" ? "Ctrl-C" : "SIG" + std::string(signal);
    EXPECT_EQ(result.err, "eatt: stopped by " + name + " after 0 sentences\n");
    EXPECT_LT(took.count(), 30) << "the whole line takes minutes";
    EXPECT_THAT(leftovers(), SizeIs(0));
    EXPECT_FALSE(fs::exists(in("out")));
  }
}

TEST_F(Stopping, ALongSentenceIsLeftWhileItIsRead) {
  std::string sentence;
  for (int i = 0; i < 12'000; ++i) sentence += "wort ";
  const std::string text = folder_.write("sentence.txt", sentence + "\n").string();
  const auto begin = std::chrono::steady_clock::now();
  const auto result = stop("translate " + bundle_ + " --no-split --max-input-length 100000 -i " +
                               text + " -o " + in("out"),
                           in("out.tmp-"), {"TERM"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_LT(took.count(), 30)
      << "reading takes seconds, and each of 24,000 steps some milliseconds";
}

TEST_F(Stopping, ASecondSignalEndsItAtOnceAndStillLeavesNothing) {
  const auto result = stop(slow_ + " -o " + in("out"), in("out.tmp-"), {"INT", "INT"});
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(leftovers(), SizeIs(0));
}

TEST_F(Stopping, CommandsThatSaveNothingLeaveNothingEither) {
  const auto result =
      stop("corpus generate --train 3000000 --output " + in("."), in("train.zh.tmp-"), {"TERM"});
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_THAT(leftovers(), SizeIs(0));
  EXPECT_FALSE(fs::exists(in("train.zh")));
}

TEST_F(Stopping, UnderNohupTheEndOfTheTerminalIsIgnored) {
  const auto result = run(
      "/bin/bash", {"-c", "PATH=/usr/bin:/bin; trap '' HUP; echo ein wort | (sleep 0.5; cat) | '" +
                              testing::program_path("eatt").string() + "' translate " + bundle_ +
                              " & sleep 0.3; kill -HUP $!; wait $!"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(split_lines(result.out), SizeIs(1));
}

TEST_F(Stopping, SignalsThatWereIgnoredStayIgnored) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const auto result =
        run("/bin/bash", {"-c", "PATH=/usr/bin:/bin; trap '' " + signal +
                                    "; (echo ein wort; sleep 0.5; echo noch eins) | '" +
                                    testing::program_path("eatt").string() + "' translate " +
                                    bundle_ + " & sleep 0.3; kill -" + signal + " $!; wait $!"});
    EXPECT_EQ(result.exit_code, 0) << signal << ": " << result.err;
    EXPECT_THAT(split_lines(result.out), SizeIs(2)) << signal;
  }
}

TEST_F(Stopping, StatisticsTellWhatWasDone) {
  const auto result =
      run("/bin/bash",
          {"-c", "PATH=/usr/bin:/bin; (echo ein wort; sleep 60 & echo $! > " + in("sleeper") +
                     "; wait) | { '" + testing::program_path("eatt").string() + "' translate " +
                     bundle_ + " --stats > " + in("out") + " & pid=$!; until [ -s " + in("out") +
                     " ]; do sleep 0.02; done; kill -TERM $pid; wait $pid; code=$?; "
                     "kill $(cat " +
                     in("sleeper") + "); exit $code; }"});
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_THAT(result.err, AllOf(HasSubstr("1 sentence in "), HasSubstr("peak memory"),
                                HasSubstr("eatt: stopped by SIGTERM after 1 sentence\n")));
}

}  // namespace
}  // namespace eatt
