#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serving/engine/engine.h"
#include "support/files.h"
#include "support/speaking_bundle.h"

namespace eatt::serving {

// Holds up workers before their next step, so that a test decides what happens meanwhile.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  // Until somebody stands before the closed gate, or it is too late.
  void wait_for_visitor(std::chrono::steady_clock::time_point latest =
                            std::chrono::steady_clock::now() + std::chrono::minutes(1)) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, latest, [&] { return visitors_ > 0; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++visitors_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --visitors_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int visitors_ = 0;
};

class EngineTest : public ::testing::Test {
 protected:
  static constexpr auto kForever = std::chrono::steady_clock::time_point::max();

  // An engine whose workers pass the gate before each step.
  std::unique_ptr<Engine> make(EngineOptions options) {
    options.translator.before_step = [this] { gate_.pass(); };
    return std::make_unique<Engine>(bundle_, options);
  }

  struct Submitted {
    Engine::Ticket ticket;
    std::future<Reply> reply;
  };
  static Submitted submit(Engine& engine, std::vector<Job> jobs,
                          std::chrono::steady_clock::time_point deadline = kForever) {
    auto promise = std::make_shared<std::promise<Reply>>();
    std::future<Reply> reply = promise->get_future();
    const auto ticket = engine.submit(std::move(jobs), deadline, [promise](Reply given) {
      promise->set_value(std::move(given));
    });
    return {ticket, std::move(reply)};
  }
  static Reply translate(Engine& engine, std::vector<Job> jobs) {
    return submit(engine, std::move(jobs)).reply.get();
  }

  testing::TemporaryFolder folder_;
  std::string bundle_ =
      testing::write_speaking_bundle(folder_ / "model", 1, Mechanism::eatt, "en").string();
  Gate gate_;
};

inline void expect_same(const Translation& a, const Translation& b) {
  EXPECT_EQ(a.source_pieces, b.source_pieces);
  EXPECT_EQ(a.source_words, b.source_words);
  ASSERT_EQ(a.hypotheses.size(), b.hypotheses.size());
  for (size_t i = 0; i < a.hypotheses.size(); ++i) {
    EXPECT_EQ(a.hypotheses[i].text, b.hypotheses[i].text);
    EXPECT_EQ(a.hypotheses[i].pieces, b.hypotheses[i].pieces);
    EXPECT_EQ(a.hypotheses[i].words, b.hypotheses[i].words);
    EXPECT_EQ(a.hypotheses[i].score, b.hypotheses[i].score);  // To the bit.
    EXPECT_EQ(a.hypotheses[i].piece_scores, b.hypotheses[i].piece_scores);
    EXPECT_EQ(a.hypotheses[i].attention, b.hypotheses[i].attention);
    EXPECT_EQ(a.hypotheses[i].attention_begin, b.hypotheses[i].attention_begin);
    EXPECT_EQ(a.hypotheses[i].finished, b.hypotheses[i].finished);
  }
}

}  // namespace eatt::serving
