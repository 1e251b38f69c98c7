// What an engine translates, and in which order.
#include "serving/engine/engine.h"

#include <gmock/gmock.h>

#include <future>
#include <random>
#include <thread>

#include "energy/activity.h"
#include "engine_testing.h"

namespace eatt::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Texts of one to three sentences of a few letters.
std::string random_text(std::mt19937_64& random) {
  std::string text;
  for (auto sentences = 1 + random() % 3; sentences > 0; --sentences) {
    for (auto words = 1 + random() % 5; words > 0; --words) {
      if (!text.empty()) text += ' ';
      for (auto letters = 1 + random() % 5; letters > 0; --letters) {
        text += static_cast<char>('a' + random() % 26);
      }
    }
    text += ". ";
  }
  return text;
}

std::vector<Job> random_jobs(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Job> jobs;
  for (auto count = 1 + random() % 4; count > 0; --count) {
    Job job{.text = random_text(random), .wants_attention = random() % 3 == 0};
    switch (random() % 4) {
      case 0:
        job.search.beam_size = 4;
        break;
      case 1:
        job.search.beam_size = job.search.n_best = 2;
        break;
      case 2:
        job.search.sampling = true;
        break;
      default:
        break;
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

// What Translator makes of the same jobs.
class Expected {
 public:
  explicit Expected(const std::string& bundle)
      : plain_(bundle, {.threads = 1, .split_sentences = true}),
        attending_(bundle, {.threads = 1, .wants_attention = true, .split_sentences = true}) {}

  Translation of(const Job& job, size_t number) const {
    const TranslationTask task{.source = job.text, .number = static_cast<int64_t>(number)};
    const Translator& translator = job.wants_attention ? attending_ : plain_;
    return translator.translate({&task, 1}, job.search).front();
  }
  void expect(const std::vector<Job>& jobs, const Reply& reply) const {
    ASSERT_EQ(reply.outcome, Outcome::done) << reply.error;
    ASSERT_EQ(reply.translations.size(), jobs.size());
    for (size_t i = 0; i < jobs.size(); ++i) expect_same(reply.translations[i], of(jobs[i], i));
  }

 private:
  Translator plain_, attending_;
};

TEST_F(EngineTest, ManyClientsGetWhatTranslatorGives) {
  constexpr size_t kClients = 8, kRequests = 15;
  const Expected expected(bundle_);
  Engine engine(bundle_, {.workers = 2,
                          .batch_rows = 12,
                          .cache_bytes = 20'000,
                          .translator = {.split_sentences = true}});
  std::vector<std::vector<std::pair<std::vector<Job>, Reply>>> served(kClients);
  std::vector<std::thread> clients;
  for (size_t client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      for (size_t i = 0; i < kRequests; ++i) {
        const auto jobs = random_jobs(client / 2 * 1000 + i);  // Two clients ask for the same.
        auto submitted = submit(engine, jobs);
        if (i % 5 == 4) {
          engine.cancel(submitted.ticket);
          submitted.reply.wait();
        } else {
          served[client].emplace_back(jobs, submitted.reply.get());
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (const auto& of_client : served) {
    for (const auto& [jobs, reply] : of_client) expected.expect(jobs, reply);
  }
  EXPECT_EQ(engine.status().waiting, 0u);
}

TEST_F(EngineTest, EmptyRequestsAndEmptyTextsAreAnswered) {
  Engine engine(bundle_, {.workers = 1, .translator = {.split_sentences = true}});
  EXPECT_THAT(translate(engine, {}).translations, SizeIs(0));
  const Reply reply = translate(engine, {{.text = ""}, {.text = " \t "}, {.text = "a"}});
  ASSERT_THAT(reply.translations, SizeIs(3));
  EXPECT_EQ(reply.translations[0].hypotheses.front().text, "");
  EXPECT_EQ(reply.translations[1].hypotheses.front().text, "");
  EXPECT_NE(reply.translations[2].hypotheses.front().text, "");
}

TEST_F(EngineTest, InvalidUtf8IsTranslatedAsByTranslator) {
  Engine engine(bundle_, {.workers = 1});
  const std::vector<Job> jobs = {{.text = "a\xff b"}};
  Expected(bundle_).expect(jobs, translate(engine, jobs));
}

TEST_F(EngineTest, ASmallRequestDoesNotWaitForALargeOne) {
  std::promise<size_t> waiting;  // When the small one is answered.
  const auto engine = make({.workers = 1, .batch_rows = 4, .cache_bytes = 0});
  gate_.close();
  std::vector<Job> many(200, Job{.text = "ein wort und noch eins"});
  auto large = submit(*engine, std::move(many));
  gate_.wait_for_visitor();
  engine->submit({{.text = "ein wort"}}, kForever,
                 [&](const Reply&) { waiting.set_value(engine->status().waiting); });
  gate_.open();
  EXPECT_GT(waiting.get_future().get(), 150u);
  engine->cancel(large.ticket);
  large.reply.wait();
}

TEST_F(EngineTest, TheSentencesOfAHugeTextTakeTurnsWithOthersToo) {
  std::promise<uint64_t> pieces;  // Translated when the small one is answered.
  const auto engine = make(
      {.workers = 1, .batch_rows = 4, .cache_bytes = 0, .translator = {.split_sentences = true}});
  std::string text;
  for (int i = 0; i < 200; ++i) text += "Noch ein Satz mit Punkt. ";
  gate_.close();
  auto large = submit(*engine, {{.text = text}});
  gate_.wait_for_visitor();
  engine->submit({{.text = "ein wort"}}, kForever,
                 [&](const Reply&) { pieces.set_value(engine->status().source_pieces); });
  gate_.open();
  const uint64_t early = pieces.get_future().get();
  EXPECT_EQ(large.reply.get().outcome, Outcome::done);
  EXPECT_LT(early, engine->status().source_pieces / 4);
}

TEST_F(EngineTest, RequestsThatWaitShareTheBatch) {
  const auto engine = make({.workers = 1, .cache_bytes = 0});
  gate_.close();
  auto first = submit(*engine, {{.text = "a"}});
  gate_.wait_for_visitor();
  std::vector<Submitted> others;
  for (int i = 0; i < 20; ++i) others.push_back(submit(*engine, {{.text = "ein wort"}}));
  gate_.open();
  first.reply.wait();
  for (auto& other : others) other.reply.wait();
  const EngineStatus status = engine->status();
  EXPECT_GT(status.rows, status.steps * 5);
}

TEST_F(EngineTest, MemoryIsBoundedByTheBatchHoweverManySentencesCome) {
  TranslatorOptions recording{.split_sentences = true, .records_activity = true};
  energy::Activity activity;
  {
    Engine engine(bundle_, {.workers = 1,
                            .batch_rows = 6,
                            .batch_words = 120,
                            .cache_bytes = 0,
                            .translator = recording});
    std::vector<Submitted> submitted;
    std::mt19937_64 random(3);
    for (int i = 0; i < 200; ++i) {
      submitted.push_back(
          submit(engine, {{.text = random_text(random), .search = {.beam_size = 1 + i % 3}}}));
      if (i % 9 == 0) engine.cancel(submitted[submitted.size() / 2].ticket);
    }
    for (auto& one : submitted) one.reply.wait();
    activity = engine.translator().activity();
  }
  EXPECT_LE(activity.most_rows, 6u);
  EXPECT_LE(activity.most_source_rows, 120u + 6);
  EXPECT_GT(activity.sentences, 150u);
}

TEST_F(EngineTest, StatusCountsWhatWasTranslated) {
  Engine engine(bundle_, {.workers = 1});
  const Reply reply = translate(engine, {{.text = "ein wort"}});
  const EngineStatus status = engine.status();
  EXPECT_EQ(status.source_pieces, reply.translations[0].source_pieces.size());
  EXPECT_EQ(status.target_pieces, reply.translations[0].hypotheses[0].pieces.size());
  EXPECT_GE(status.steps, status.target_pieces);
  EXPECT_EQ(status.rows, status.steps);
  EXPECT_EQ(status.running, 0u);
  EXPECT_EQ(status.cache_misses, 1u);
}

TEST_F(EngineTest, WhatWasTranslatedBeforeComesFromTheCache) {
  Engine engine(bundle_, {.workers = 1});
  const Job job{.text = "ein wort", .wants_attention = true};
  const Reply first = translate(engine, {job});
  const uint64_t steps = engine.status().steps;
  const Reply second = translate(engine, {job});
  EXPECT_EQ(engine.status().steps, steps);
  EXPECT_EQ(engine.status().cache_hits, 1u);
  expect_same(first.translations[0], second.translations[0]);
  translate(engine, {{.text = "ein wort"}});
  EXPECT_GT(engine.status().steps, steps) << "without attention it is another translation";
}

TEST_F(EngineTest, TheCacheCanBeSwitchedOff) {
  Engine engine(bundle_, {.workers = 1, .cache_bytes = 0});
  translate(engine, {{.text = "ein wort"}});
  translate(engine, {{.text = "ein wort"}});
  EXPECT_EQ(engine.status().cache_hits + engine.status().cache_misses, 0u);
}

}  // namespace
}  // namespace eatt::serving
