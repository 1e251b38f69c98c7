#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
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

}  // namespace
}  // namespace eatt
