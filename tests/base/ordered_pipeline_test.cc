#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "base/threads.h"

namespace eatt {
namespace {

class OrderedPipeline : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(0); }
};

TEST_F(OrderedPipeline, ChunksAreWrittenInTheOrderOfReading) {
  for (const int threads : {1, 2, 7}) {
    for (const int chunks : {0, 1, 6, 100}) {
      set_thread_count(threads);
      int next = 0;
      std::vector<int> written;
      ordered_pipeline<int>(
          [&](int& chunk) {
            if (next == chunks) return false;
            chunk = next++;
            return true;
          },
          [](int& chunk) { chunk *= 2; }, [&](int& chunk) { written.push_back(chunk); });
      ASSERT_EQ(written.size(), static_cast<size_t>(chunks));
      for (int i = 0; i < chunks; ++i) EXPECT_EQ(written[static_cast<size_t>(i)], 2 * i);
    }
  }
}

TEST_F(OrderedPipeline, MemoryIsAFewChunksPerThread) {
  set_thread_count(2);
  struct Chunk {
    int index = 0;
  };
  int read = 0;
  std::atomic<int> written = 0;
  int most_ahead = 0;
  ordered_pipeline<Chunk>(
      [&](Chunk&) {
        most_ahead = std::max(most_ahead, read - written);
        return ++read <= 1000;
      },
      [](Chunk&) {}, [&](Chunk&) { ++written; });
  EXPECT_EQ(written, 1000);
  EXPECT_LE(most_ahead, 3 * (2 * 2 + 2));
}

TEST_F(OrderedPipeline, AnErrorInAnyPartReachesTheCaller) {
  set_thread_count(3);
  for (int part = 0; part < 3; ++part) {
    int next = 0;
    const auto fail_at_50 = [](int chunk) {
      if (chunk == 50) throw std::runtime_error("fifty");
    };
    EXPECT_THROW(ordered_pipeline<int>(
                     [&](int& chunk) {
                       chunk = next++;
                       if (part == 0) fail_at_50(chunk);
                       return chunk < 1000;
                     },
                     [&](int& chunk) {
                       if (part == 1) fail_at_50(chunk);
                     },
                     [&](int& chunk) {
                       if (part == 2) fail_at_50(chunk);
                     }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace eatt
