// Several processes that train one model: `eatt train --workers N`, and torchrun.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "train_fixture.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
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

  // The floats of the last weights, whatever their names.
  std::vector<float> weight_values(const std::string& run_name) const {
    const std::string bytes = weights(run_name);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    const size_t begin = sizeof header + header;
    std::vector<float> values((bytes.size() - begin) / sizeof(float));
    std::memcpy(values.data(), bytes.data() + begin, values.size() * sizeof(float));
    return values;
  }

  std::vector<Json> progress_events(const std::string& run_name) const {
    std::vector<Json> events;
    std::ifstream log(folder_ / run_name / "log.jsonl");
    for (std::string line; std::getline(log, line);) {
      Json event = Json::parse(line);
      if (event["event"] == "progress") events.push_back(std::move(event));
    }
    return events;
  }

  // Runs a command until a worker of this run and, if given, a file exist and some time has passed,
  // then sends it a signal. Returns what the whole command gave; a command that ends before is left
  // alone.
  RunResult run_and_signal(const std::string& run_name, const std::string& variable, int signal,
                           std::chrono::milliseconds after, const fs::path& file = "/") const {
    return signal_while([&] { return run("eatt", workers(run_name, 2)); }, run_name, variable,
                        signal, after, file);
  }

  RunResult signal_while(const std::function<RunResult()>& command, const std::string& run_name,
                         const std::string& variable, int signal, std::chrono::milliseconds after,
                         const fs::path& file) const {
    RunResult result;
    std::atomic<bool> ended = false;
    std::thread job([&] {
      result = command();
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
  const auto start = std::chrono::steady_clock::now();
  const auto whole = run("eatt", workers("whole", 2));
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("[0] info:"));
  EXPECT_THAT(whole.err, ::testing::Not(HasSubstr("[1] info:"))) << "the first speaks for all";

  std::mt19937 random(std::random_device{}());
  int kills = 0;
  for (int round = 0; round < 2; ++round) {
    const auto rank = std::to_string(random() % 2);
    // In its first third, so that it is not over on a fast machine.
    const auto killed =
        run_and_signal("killed", "RANK=" + rank, SIGKILL, elapsed * (random() % 100) / 300);
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

class Torchrun : public TrainWorkers {
 protected:
  void SetUp() override {
    if (!fs::exists(kPython) ||
        run(kPython, {"-c", "import torch.distributed.run"}).exit_code != 0) {
      GTEST_SKIP() << "Debian's python3-torch is not installed";
    }
    TrainWorkers::SetUp();
  }

  // Where torchrun's processes meet. Its --standalone always takes 29400, so that two tests at the
  // same time would meet each other.
  static int free_port() {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener, any, size), 0);
    EXPECT_EQ(::getsockname(listener, any, &size), 0);
    ::close(listener);
    return ntohs(address.sin_port);
  }

  // Two workers, started by torchrun.
  RunResult torchrun(const std::string& run_name, int restarts = 0) const {
    // What to redirect has to be said: Debian's version fails on its own default, 0.
    std::vector<std::string> words = {"-m",
                                      "torch.distributed.run",
                                      "--nnodes",
                                      "1",
                                      "--rdzv_backend",
                                      "c10d",
                                      "--rdzv_endpoint",
                                      fmt::format("127.0.0.1:{}", free_port()),
                                      "--rdzv_id",
                                      run_name,
                                      "--no_python",
                                      "--redirects",
                                      "1",
                                      "--tee",
                                      "1",
                                      "--log_dir",
                                      path("logs"),
                                      "--monitor_interval",
                                      "0.2",
                                      "--max_restarts",
                                      std::to_string(restarts),
                                      "--nproc_per_node",
                                      "2",
                                      program_path("eatt-train").string()};
    const auto train = command(run_name, {"--worker-timeout", "20"});
    words.insert(words.end(), train.begin(), train.end());
    return run(kPython, words);
  }

  static constexpr char kPython[] = "/usr/bin/python3";
};

TEST_F(Torchrun, StartsWorkersToo) {
  const auto result = torchrun("torchrun");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(run("eatt", workers("own", 2)).exit_code, 0);
  EXPECT_EQ(weights("torchrun"), weights("own"));
}

// Torchrun's own restart: nobody types the command again.
TEST_F(Torchrun, RestartsWorkersAfterOneWasKilledAndTheWeightsAreTheSame) {
  ASSERT_EQ(run("eatt", workers("whole", 2)).exit_code, 0);
  const auto saved = folder_ / "killed" / "checkpoints" / "step-00000005";
  const auto result = signal_while([&] { return torchrun("killed", /*restarts=*/1); }, "killed",
                                   "RANK=1", SIGKILL, 0ms, saved);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_text(folder_ / "killed" / "log.jsonl"), HasSubstr("\"resumed\""));
  EXPECT_EQ(weights("killed"), weights("whole"));
}

// Batches of two workers, or two batches of one: the same pairs in an update, added up in another
// order. Without codes, nothing makes more of that than rounding.
TEST_F(TrainWorkers, TwoMakeTheUpdatesOfOneWithTwiceTheDelay) {
  // Adam divides by the size of a gradient, even where that is nothing but rounding; with an
  // epsilon above it, weights differ by no more than gradients do.
  const std::vector<std::string> options = {"--attention",    "vanilla", "--dropout",   "0",
                                            "--after",        "20u",     "--disp-freq", "5u",
                                            "--adam-epsilon", "1e-3"};
  const auto two = run("eatt", workers("two", 2, options));
  ASSERT_EQ(two.exit_code, 0) << two.err;
  auto delayed = command("one", options);
  delayed.insert(delayed.end(), {"--optimizer-delay", "2"});
  const auto one = run("eatt", delayed);
  ASSERT_EQ(one.exit_code, 0) << one.err;

  const auto of_two = progress_events("two"), of_one = progress_events("one");
  ASSERT_EQ(of_two.size(), 4u);
  ASSERT_EQ(of_one.size(), 4u);
  for (size_t i = 0; i < of_two.size(); ++i) {
    EXPECT_EQ(of_two[i]["words"], of_one[i]["words"]);
    EXPECT_EQ(of_two[i]["epoch"], of_one[i]["epoch"]);
    EXPECT_NEAR(of_two[i]["loss"].get<double>(), of_one[i]["loss"].get<double>(), 1e-4);
    EXPECT_NEAR(of_two[i]["gradient_norm"].get<double>(), of_one[i]["gradient_norm"].get<double>(),
                1e-3);
    const Json& reduction = of_two[i]["reduction"];
    EXPECT_GT(reduction["bytes"].get<double>(), 0);
    EXPECT_LE(reduction["bytes_in_backward"].get<double>(), reduction["bytes"].get<double>());
    EXPECT_LE(reduction["first_started"].get<double>(), reduction["finished"].get<double>());
  }
  const auto a = weight_values("two"), b = weight_values("one");
  ASSERT_EQ(a.size(), b.size());
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  EXPECT_LT(largest, 2e-5f);  // 20 updates, each of them rounded at weights near 1.
}

TEST_F(TrainWorkers, AJsonLogSaysWhoSpeaks) {
  auto words = workers("run", 2, {"--after", "5u"});
  words.insert(words.begin(), {"--log-format", "json"});
  const auto result = run("eatt", words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.err);
  int messages = 0;
  for (std::string line; std::getline(lines, line); ++messages) {
    EXPECT_EQ(Json::parse(line)["worker"], 0) << line;
  }
  EXPECT_GT(messages, 2);
}

TEST_F(TrainWorkers, ATimeOutIsLongEnoughForBusyWorkers) {
  const auto result = run("eatt", command("run", {"--workers", "2", "--worker-timeout", "4"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--worker-timeout"), HasSubstr("5")));
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
