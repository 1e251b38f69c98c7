#include "training/distributed/process_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "base/error.h"
#include "group_of_threads.h"

namespace eatt {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

torch::Tensor numbers_of(int rank, int64_t size) {
  auto generator = at::detail::createCPUGenerator(static_cast<uint64_t>(rank));
  return torch::randn({size}, generator);
}

// Rounding depends on the order of additions, which must not depend on who is faster.
TEST(ProcessGroup, SumsAreTheSameBitsForAllWorkersAndInEveryRun) {
  for (const int size : {2, 3, 5}) {
    std::vector<torch::Tensor> sums;
    std::mutex mutex;
    for (int run = 0; run < 3; ++run) {
      as_workers(size, [&](ProcessGroup& group) {
        const auto values = numbers_of(group.rank(), 100'003);
        std::this_thread::sleep_for(run * group.rank() * 10ms);
        group.sum(values);
        const std::lock_guard lock(mutex);
        sums.push_back(values);
      });
    }
    auto expected = torch::zeros({100'003}, torch::kDouble);
    for (int rank = 0; rank < size; ++rank) expected += numbers_of(rank, 100'003);
    for (const auto& sum : sums) EXPECT_TRUE(sum.equal(sums[0]));
    EXPECT_TRUE(torch::allclose(sums[0].to(torch::kDouble), expected, 1e-5, 1e-5));
  }
}

TEST(ProcessGroup, AllGetTheTextOfTheFirst) {
  as_workers(3, [](ProcessGroup& group) {
    EXPECT_EQ(group.broadcast(group.is_first() ? "a long text" : "other"), "a long text");
    EXPECT_EQ(group.broadcast(group.is_first() ? "" : "other"), "");
    EXPECT_TRUE(group.any(group.rank() == 2));
    EXPECT_FALSE(group.any(false));
  });
}

// Preparing data or validating may take hours; the time-out is for those who are silent.
TEST(ProcessGroup, TheOthersWaitForTheFirstLongerThanTheTimeOut) {
  std::atomic<bool> done = false;
  as_workers(
      2,
      [&](ProcessGroup& group) {
        group.while_first_works([&] {
          std::this_thread::sleep_for(4s);
          done = true;
        });
        EXPECT_TRUE(done);
      },
      2s);
}

TEST(ProcessGroup, AFailureOfTheFirstEndsTheOthersToo) {
  std::atomic<int> told = 0;
  EXPECT_THROW(as_workers(3,
                          [&](ProcessGroup& group) {
                            try {
                              group.while_first_works([] { throw UsageError("no such file"); });
                            } catch (const UsageError& error) {
                              EXPECT_TRUE(group.is_first());
                              throw;
                            } catch (const Error& error) {
                              EXPECT_THAT(error.what(), HasSubstr("worker 0 has ended"));
                              ++told;
                            }
                          }),
               UsageError);
  EXPECT_EQ(told, 2);
}

TEST(ProcessGroup, AWorkerThatNeverComesIsNamed) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  EXPECT_THAT([&] { ProcessGroup(store, {.rank = 0, .size = 2}, 1s); },
              ThrowsMessage<Error>(HasSubstr("1 of 2 workers have not come within 1 seconds: "
                                             "worker 1; check that all were started")));
}

// With the first worker goes the store in which the others look for the reason.
TEST(Heartbeat, TheWorkerThatKeepsTheStoreStaysUntilTheOthersCanHaveReadTheVerdict) {
  using Clock = std::chrono::steady_clock;
  for (const bool launcher_has_store : {false, true}) {
    const auto store = c10::make_intrusive<c10d::HashStore>();
    WorkerPlace place;
    place.size = 2;
    place.launcher_has_store = launcher_has_store;
    const Heartbeat heartbeat(store, place);
    auto lost = std::async(std::launch::async, [&] {
      heartbeat.find_lost(20s);
      return Clock::now();
    });
    while (!store->check({"verdict"})) std::this_thread::sleep_for(10ms);
    const auto known = Clock::now();
    if (launcher_has_store) {
      EXPECT_LT(lost.get() - known, 900ms);
    } else {
      EXPECT_GE(lost.get() - known, 900ms);
    }
  }
}

// A process that stops without closing its connections: here, one without a heartbeat.
TEST(ProcessGroup, ASilentWorkerIsNamedAfterTheTimeOut) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::promise<void> all_done;
  auto until_done = all_done.get_future().share();
  ThreadGroup threads;
  threads.start([&] {
    const std::string name = "host x, process 7";
    store->set(arrival_key(1), {name.begin(), name.end()});
    auto options = c10d::ProcessGroupGloo::Options::create(60s);
    options->devices = {c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")};
    c10d::ProcessGroupGloo silent(store, 1, 2, options);
    until_done.wait();
  });
  EXPECT_THAT(
      [&] {
        ProcessGroup group(store, {.rank = 0, .size = 2}, 2s);
        group.any(true);
      },
      ThrowsMessage<Error>(HasSubstr("no answer from worker 1 (host x, process 7) for 2 seconds, "
                                     "so the training ends; run the same command")));
  all_done.set_value();
  threads.join();
}

}  // namespace
}  // namespace eatt
