#include "serving/engine/request_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace eatt::serving {
namespace {

class RequestQueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<Request> add(size_t jobs) {
    auto request = std::make_shared<Request>();
    request->deadline = Clock::time_point::max();
    request->jobs.resize(jobs);
    queue_.add(request);
    return request;
  }

  // Whose sentence is next in a batch; null if nobody's. Jobs are split into `parts`.
  std::shared_ptr<Request> next(size_t parts = 1) {
    while (auto turn = queue_.take([](const Sentence&) { return true; })) {
      if (!turn->split) return turn->sentence.request;
      std::vector<TextPart> made(parts);
      for (TextPart& part : made) part.search.source = {7};
      queue_.add_parts(turn->sentence, std::move(made));
    }
    return nullptr;
  }

  RequestQueue queue_{1000};
};

TEST_F(RequestQueueTest, RequestsTakeTurns) {
  const auto one = add(2), two = add(2), three = add(1);
  EXPECT_EQ(next(), one);
  EXPECT_EQ(next(), two);
  EXPECT_EQ(next(), three);
  EXPECT_EQ(next(), one);
  EXPECT_EQ(next(), two);
  EXPECT_EQ(next(), nullptr);
  EXPECT_EQ(queue_.sentences_waiting(), 0u);
}

TEST_F(RequestQueueTest, ARequestHasOneTurnAtATimeHoweverMuchOfItWasTaken) {
  const auto large = add(300);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(next(/*parts=*/3), large);
  const auto small = add(2);
  EXPECT_EQ(next(), large);
  EXPECT_EQ(next(), small);
  EXPECT_EQ(next(), large);
  EXPECT_EQ(next(), small);
}

TEST_F(RequestQueueTest, WhatIsOverHasNoTurnAndCountsNoMore) {
  const auto one = add(5), two = add(1);
  EXPECT_EQ(next(/*parts=*/2), one);
  queue_.cancel(one->ticket);
  EXPECT_EQ(queue_.jobs_waiting(), 1u);
  EXPECT_EQ(queue_.sentences_waiting(), 1u);
  EXPECT_EQ(next(), two);
  EXPECT_EQ(next(), nullptr);
  EXPECT_EQ(queue_.ended(), 1u);
  EXPECT_TRUE(queue_.take_delivery().has_value());
  EXPECT_TRUE(queue_.idle());
}

TEST_F(RequestQueueTest, PartsOfARequestThatEndedMeanwhileAreDropped) {
  const auto one = add(1);
  const auto turn = queue_.take([](const Sentence&) { return true; });
  ASSERT_TRUE(turn && turn->split);
  queue_.cancel(one->ticket);
  std::vector<TextPart> parts(1);
  parts[0].search.source = {7};
  queue_.add_parts(turn->sentence, std::move(parts));
  EXPECT_EQ(next(), nullptr);
  EXPECT_EQ(queue_.jobs_waiting() + queue_.sentences_waiting(), 0u);
}

}  // namespace
}  // namespace eatt::serving
