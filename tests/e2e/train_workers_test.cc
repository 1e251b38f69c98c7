// Several processes that train one model: `eatt train --workers N`, and torchrun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The processes with this word on their command line and this variable in their environment; an
// empty variable means those that have no RANK: the launcher.
std::vector<pid_t> processes_with(const std::string& word, const std::string& variable) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const auto has = [&](const char* file, const std::string& text) {
      std::ifstream in(entry.path() / file, std::ios::binary);
      for (std::string part; std::getline(in, part, '\0');) {
        if (part == text) return true;
      }
      return false;
    };
    if (!has("cmdline", word)) continue;
    const bool launches = !has("environ", "RANK=0") && !has("environ", "RANK=1");
    if (variable.empty() ? launches : has("environ", variable)) found.push_back(std::stoi(name));
  }
  return found;
}

class TrainWorkers : public Train {
 protected:
  std::vector<std::string> workers(const std::string& run_name, int count,
                                   std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--workers", std::to_string(count), "--worker-timeout", "20"});
    return command(run_name, more);
  }

  std::string weights(const std::string& run_name) const {
    return read_text(folder_ / run_name / "last" / "model.safetensors");
  }

  // Runs a command until a worker of this run and, if given, a file exist and some time has passed,
  // then sends it a signal. Returns what the whole command gave; a command that ends before is left
  // alone.
  RunResult run_and_signal(const std::string& run_name, const std::string& variable, int signal,
                           std::chrono::milliseconds after, const fs::path& file = "/") const {
    RunResult result;
    std::atomic<bool> ended = false;
    std::thread job([&] {
      result = run("eatt", workers(run_name, 2));
      ended = true;
    });
    std::vector<pid_t> found;
    while ((found.empty() || !fs::exists(file)) && !ended) {
      std::this_thread::sleep_for(10ms);
      found = processes_with(path(run_name), variable);
    }
    std::this_thread::sleep_for(after);
    for (const pid_t pid : found) {
      if (!ended) ::kill(pid, signal);
    }
    job.join();
    return result;
  }
};

TEST_F(TrainWorkers, KilledWorkersEndTheJobAndTheSameCommandGivesTheSameWeights) {
  const auto whole = run("eatt", workers("whole", 2));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("[0] info:"));
  EXPECT_THAT(whole.err, ::testing::Not(HasSubstr("[1] info:"))) << "the first speaks for all";

  std::mt19937 random(std::random_device{}());
  int kills = 0;
  for (int round = 0; round < 2; ++round) {
    const auto rank = std::to_string(random() % 2);
    const auto killed = run_and_signal("killed", "RANK=" + rank, SIGKILL,
                                       std::chrono::milliseconds(300 + random() % 2500));
    if (killed.exit_code == 0) break;
    ++kills;
    EXPECT_EQ(killed.exit_code, 1);
    EXPECT_THAT(killed.err, AllOf(HasSubstr("worker " + rank + " (process "),
                                  HasSubstr("was ended by signal 9"),
                                  HasSubstr("run the same command to continue")));
    EXPECT_TRUE(processes_with(path("killed"), "WORLD_SIZE=2").empty()) << "nobody is left";
  }
  EXPECT_GT(kills, 0);
  const auto resumed = run("eatt", workers("killed", 2));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(weights("killed"), weights("whole"));
}

TEST_F(TrainWorkers, ASignalToTheLauncherSavesAndTheRunGoesOnWithMoreWorkers) {
  const auto saved = folder_ / "run" / "checkpoints" / "step-00000005";
  const auto stopped = run_and_signal("run", "", SIGTERM, 0ms, saved);
  // A fast machine may have finished before.
  EXPECT_THAT(stopped.exit_code, ::testing::AnyOf(0, 128 + SIGTERM)) << stopped.err;
  const auto more = run("eatt", workers("run", 3, {"--after", "70u"}));
  ASSERT_EQ(more.exit_code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("this run began with 2 workers and now continues with 3"));
  const auto fewer = run("eatt", command("run", {"--after", "75u"}));
  ASSERT_EQ(fewer.exit_code, 0) << fewer.err;
}

TEST_F(TrainWorkers, TorchrunStartsThemToo) {
  const std::string python = "/usr/bin/python3";
  if (!fs::exists(python) || run(python, {"-c", "import torch.distributed.run"}).exit_code != 0) {
    GTEST_SKIP() << "Debian's python3-torch is not installed";
  }
  // What to redirect has to be said: Debian's version fails on its own default, 0.
  std::vector<std::string> words = {"-m",
                                    "torch.distributed.run",
                                    "--standalone",
                                    "--no_python",
                                    "--redirects",
                                    "1",
                                    "--tee",
                                    "1",
                                    "--log_dir",
                                    path("logs"),
                                    "--nproc_per_node",
                                    "2",
                                    program_path("eatt-train").string()};
  const auto train = command("torchrun");
  words.insert(words.end(), train.begin(), train.end());
  const auto result = run(python, words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(run("eatt", workers("own", 2)).exit_code, 0);
  EXPECT_EQ(weights("torchrun"), weights("own"));
}

TEST_F(TrainWorkers, MistakesAreReportedOnce) {
  const auto result = run("eatt", workers("run", 2, {"--lr-schedule", "linear", "--after", "3e"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("eatt: --lr-schedule linear needs --after in updates"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

}  // namespace
}  // namespace eatt::testing
