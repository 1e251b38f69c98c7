#include "base/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace eatt {
namespace {

class Threads : public ::testing::Test {
 protected:
  void TearDown() override {
    set_thread_count(0);
    unsetenv("EATT_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
  }
};

TEST_F(Threads, OurVariableGoesBeforeOpenMPsAndTheOptionBeforeBoth) {
  setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EQ(thread_count(), 3);
  setenv("EATT_NUM_THREADS", "5", 1);
  EXPECT_EQ(thread_count(), 5);
  set_thread_count(7);
  EXPECT_EQ(thread_count(), 7);
}

TEST_F(Threads, NonsenseInTheEnvironmentCountsAsNotSet) {
  const int usual = default_thread_count();
  setenv("EATT_NUM_THREADS", "many", 1);
  EXPECT_EQ(default_thread_count(), usual);
  setenv("EATT_NUM_THREADS", "-2", 1);
  EXPECT_EQ(default_thread_count(), usual);
  EXPECT_THROW(set_thread_count(-1), UsageError);
}

TEST_F(Threads, TheBatchPolicyIsThatOfTheThreadThatAsksForIt) {
  int policy = -1;
  start_thread([&] {
    interrupt_no_other_thread();
    policy = sched_getscheduler(0);
  }).join();
  if (policy != SCHED_BATCH) GTEST_SKIP() << "the system refuses SCHED_BATCH";
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST_F(Threads, ParallelForRunsEachIndexOnce) {
  set_thread_count(4);
  std::vector<std::atomic<int>> runs(1000);
  parallel_for(runs.size(), [&](size_t i) { ++runs[i]; });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  parallel_for(0, [](size_t) { FAIL() << "nothing to run"; });
}

TEST_F(Threads, NestedLoopsStartNoFurtherThreads) {
  set_thread_count(2);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(8, [&](size_t) {
    parallel_for(8, [&](size_t) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  });
  EXPECT_LE(seen.size(), 2u);
}

TEST_F(Threads, TheFirstExceptionReachesTheCaller) {
  set_thread_count(4);
  EXPECT_THROW(parallel_for(100,
                            [](size_t i) {
                              if (i == 10) throw std::runtime_error("ten");
                            }),
               std::runtime_error);
}

// Runs `act` in a process of its own, in which memory runs out after `megabytes` more, and returns
// the message of the Error it throws ("no error" if none; empty if it ended in any other way).
std::string error_with_memory_limit(size_t megabytes, const std::function<void()>& act) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + (megabytes << 20);
    const rlimit memory{limit, limit};
    ::setrlimit(RLIMIT_AS, &memory);
    std::string message = "no error";
    try {
      act();
    } catch (const Error& error) {
      message = error.what();
    }
    const bool sent = ::write(pipe_ends[1], message.data(), message.size()) > 0;
    ::_exit(sent ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  std::string message(4096, '\0');
  message.resize(
      static_cast<size_t>(std::max<ssize_t>(0, ::read(pipe_ends[0], message.data(), 4096))));
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? message : "";
}

// Every thread takes a stack of 8 MB, so far fewer than 64 can start.
TEST_F(Threads, ALoopGoesOnWithTheThreadsThatStartAndWarnsOnce) {
  const auto loop = [] {
    std::ostringstream warnings;
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(warnings);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
    for (int round = 0; round < 2; ++round) {
      std::vector<std::atomic<int>> runs(200);
      parallel_for(runs.size(), 64, [&](size_t i) {
        ++runs[i];
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      });
      if (!std::ranges::all_of(runs, [](const auto& count) { return count == 1; })) {
        throw Error("an index did not run exactly once");
      }
    }
    throw Error(warnings.str());
  };
  const std::string warning = error_with_memory_limit(48, loop);
  EXPECT_THAT(warning, ::testing::HasSubstr("cannot start a thread"));
  EXPECT_THAT(warning, ::testing::HasSubstr("of 64 threads"));
  EXPECT_EQ(std::ranges::count(warning, '\n'), 1) << warning;
}

TEST_F(Threads, AThreadOfAGroupThatCannotStartIsAnErrorWithAdviceAndTheOthersAreJoined) {
  const auto expected = ::testing::AllOf(
      ::testing::StartsWith("cannot start a thread: Resource temporarily unavailable"),
      ::testing::HasSubstr("--cpu-threads"));
  EXPECT_THAT(
      error_with_memory_limit(48,
                              [] {
                                ThreadGroup group;
                                for (int i = 0; i < 64; ++i) {
                                  group.start([] {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                  });
                                }
                              }),
      expected);
}

TEST_F(Threads, AGroupRethrowsTheFirstExceptionAfterAllThreadsEnded) {
  std::atomic<int> ended = 0;
  ThreadGroup group;
  for (int i = 0; i < 4; ++i) {
    group.start([&, i] {
      ++ended;
      if (i == 2) throw Error("the third");
    });
  }
  EXPECT_THROW(group.join(), Error);
  EXPECT_EQ(ended, 4);
  EXPECT_NO_THROW(group.join());
}

}  // namespace
}  // namespace eatt
