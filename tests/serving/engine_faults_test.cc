// What an engine does when clients leave, time is up, or something goes wrong.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "engine_testing.h"

namespace eatt::serving {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

TEST_F(EngineTest, ARequestThatWaitsCanBeCancelled) {
  const auto engine = make({.workers = 1, .batch_rows = 1, .cache_bytes = 0});
  gate_.close();
  auto running = submit(*engine, {{.text = "ein wort"}});
  gate_.wait_for_visitor();
  auto waiting = submit(*engine, {{.text = "noch ein wort"}, {.text = "und noch eins"}});
  EXPECT_EQ(engine->status().waiting, 2u);
  engine->cancel(waiting.ticket);
  EXPECT_EQ(engine->status().waiting, 0u);
  engine->cancel(waiting.ticket);
  gate_.open();
  EXPECT_EQ(waiting.reply.get().outcome, Outcome::cancelled);
  EXPECT_EQ(running.reply.get().outcome, Outcome::done);
  engine->cancel(running.ticket);
  engine->cancel(12345);
}

TEST_F(EngineTest, ARequestThatRunsLeavesItsBatchAtTheNextStep) {
  const auto engine = make({.workers = 1, .cache_bytes = 0});
  gate_.close();
  auto submitted = submit(*engine, {{.text = "ein sehr langes wort in einem satz"}});
  gate_.wait_for_visitor();
  engine->cancel(submitted.ticket);
  gate_.open();
  EXPECT_EQ(submitted.reply.get().outcome, Outcome::cancelled);
  EXPECT_LE(engine->status().steps, 1u);
  EXPECT_EQ(engine->status().running, 0u);
}

TEST_F(EngineTest, RequestsEndAtTheirDeadlineWhetherTheyWaitOrRun) {
  const auto engine = make({.workers = 1, .batch_rows = 1, .cache_bytes = 0});
  gate_.close();
  const auto soon = steady_clock::now() + milliseconds(30);
  auto running = submit(*engine, {{.text = "ein wort"}}, soon);
  gate_.wait_for_visitor(soon);
  auto waiting = submit(*engine, {{.text = "noch eins"}}, soon);
  auto patient = submit(*engine, {{.text = "und noch eins"}});
  std::this_thread::sleep_until(soon + milliseconds(1));
  gate_.open();
  EXPECT_EQ(running.reply.get().outcome, Outcome::timed_out);
  EXPECT_EQ(waiting.reply.get().outcome, Outcome::timed_out);
  EXPECT_EQ(patient.reply.get().outcome, Outcome::done);
  EXPECT_EQ(submit(*engine, {{.text = "zu spät"}}, soon).reply.get().outcome, Outcome::timed_out);
}

TEST_F(EngineTest, AFullQueueRefusesWhatDoesNotFit) {
  const auto engine = make({.workers = 1, .batch_rows = 1, .queue_limit = 3, .cache_bytes = 0});
  gate_.close();
  auto running = submit(*engine, {{.text = "ein wort"}});
  gate_.wait_for_visitor();
  auto two = submit(*engine, {{.text = "a"}, {.text = "b"}});
  EXPECT_THROW(submit(*engine, {{.text = "c"}, {.text = "d"}}), QueueFull);
  auto third = submit(*engine, {{.text = "c"}});
  EXPECT_THROW(submit(*engine, {{.text = "d"}}), QueueFull);
  gate_.open();
  EXPECT_EQ(two.reply.get().outcome, Outcome::done);
  EXPECT_EQ(third.reply.get().outcome, Outcome::done);
  EXPECT_EQ(submit(*engine, {{.text = "d"}}).reply.get().outcome, Outcome::done);
  EXPECT_NO_THROW(submit(*engine, std::vector<Job>(4))) << "more than fit, but nothing else waits";
}

TEST_F(EngineTest, WhatWasAcceptedIsFinishedBeforeTheEnd) {
  auto engine = make({.workers = 2, .batch_rows = 3, .cache_bytes = 0});
  gate_.close();
  std::vector<Submitted> submitted;
  for (int i = 0; i < 40; ++i) {
    submitted.push_back(submit(*engine, {{.text = "ein wort"}, {.text = "noch eins"}}));
  }
  std::thread opener([&] {
    std::this_thread::sleep_for(milliseconds(20));
    gate_.open();
  });
  engine.reset();
  opener.join();
  for (auto& one : submitted) {
    ASSERT_EQ(one.reply.wait_for(milliseconds(0)), std::future_status::ready);
    EXPECT_EQ(one.reply.get().outcome, Outcome::done);
  }
}

TEST_F(EngineTest, ATextThatCannotBeTranslatedFailsItsRequestOnly) {
  const auto engine = make({.workers = 1,
                            .cache_bytes = 0,
                            .translator = {.max_input_pieces = 5, .split_long_input = false}});
  gate_.close();
  auto first = submit(*engine, {{.text = "a"}});
  gate_.wait_for_visitor();
  auto bad = submit(*engine, {{.text = "b"}, {.text = "zu viele stücke für dieses modell"}});
  auto wrong = submit(*engine, {{.text = "b", .search = {.beam_size = 1, .n_best = 2}}});
  auto good = submit(*engine, {{.text = "c"}});
  gate_.open();
  EXPECT_EQ(first.reply.get().outcome, Outcome::done);
  EXPECT_EQ(good.reply.get().outcome, Outcome::done);
  const Reply failed = bad.reply.get();
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_THAT(failed.error, HasSubstr("text 2: has"));
  EXPECT_THAT(wrong.reply.get().error, HasSubstr("n-best"));
}

TEST_F(EngineTest, AWorkerGoesOnAfterItsBatchFailed) {
  std::atomic<bool> broken = false;
  EngineOptions options{.workers = 1, .cache_bytes = 0};
  options.translator.before_step = [&] {
    if (broken) throw Error("the disk is full");
  };
  Engine engine(bundle_, options);
  broken = true;
  const Reply failed = translate(engine, {{.text = "ein wort"}});
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_THAT(failed.error, HasSubstr("the disk is full"));
  broken = false;
  EXPECT_EQ(translate(engine, {{.text = "ein wort"}}).outcome, Outcome::done);
  EXPECT_EQ(engine.status().running, 0u);
}

// As when memory is too short for a full batch: better at the start than under load.
TEST_F(EngineTest, AModelThatCannotTranslateIsRefusedAtTheStart) {
  EngineOptions options{.workers = 2};
  options.translator.before_step = [] { throw Error("memory is short"); };
  try {
    Engine(bundle_, options);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("memory is short"));
  }
}

TEST_F(EngineTest, LongTextsAreSplitAsByTranslator) {
  const TranslatorOptions options{.max_input_pieces = 8};
  Engine engine(bundle_, {.workers = 2, .translator = options});
  const std::string text = "ein langer text, der mehr als acht stücke hat und geteilt wird";
  const TranslationTask task{.source = text};
  expect_same(translate(engine, {{.text = text}}).translations[0],
              Translator(bundle_, options).translate({&task, 1}).front());
}

TEST_F(EngineTest, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(Engine(bundle_, {.workers = -1}), UsageError);
  EXPECT_THROW(Engine(bundle_, {.batch_rows = 0}), UsageError);
  EXPECT_THROW(Engine(bundle_, {.queue_limit = 0}), UsageError);
  EXPECT_THROW(Engine((folder_ / "nothing").string(), {}), Error);
}

}  // namespace
}  // namespace eatt::serving
