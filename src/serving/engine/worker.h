#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/search/running_search.h"
#include "serving/engine/engine.h"
#include "serving/engine/request_queue.h"
#include "serving/engine/translation_cache.h"

namespace eatt::serving {

// What the workers of an engine share.
struct Workplace {
  Workplace(const std::string& bundle, const EngineOptions& options);

  const EngineOptions options;
  const size_t workers;
  const Translator translator;
  TranslationCache cache;

  mutable std::mutex mutex;      // Guards everything below.
  std::condition_variable wake;  // There is something to do, or nothing will come any more.
  RequestQueue queue;
  bool ending = false;
  EngineStatus counters;  // Without what the queue and the cache count themselves.
};

// A thread's work: takes sentences of the queue into its batch wherever there is room, advances
// them, and hands back their translations.
class Worker {
 public:
  explicit Worker(Workplace& place);

  // Translates made-up sentences, so that memory is at its level before the first request, which
  // then takes no longer than later ones. Call it before run(). Throws what the model throws,
  // and an Error if it computes NaN.
  void warm_up();

  // Until the workplace ends and nothing is left to do.
  void run();

 private:
  bool gather();
  bool fits(const Sentence& sentence) const;
  void split(const Sentence& sentence, std::unique_lock<std::mutex>& lock);
  void join(const Sentence& sentence);
  void drop_ended();

  void step();
  void finish(FinishedSearch& found);
  void complete(const Sentence& sentence);
  void fail(const Sentence& sentence, const std::string& what);
  void fail_all(const std::string& what);

  Workplace& place_;
  const TextParts& texts_;
  std::unique_ptr<StepModel> model_;
  RunningSearch search_;
  std::unordered_map<uint64_t, Sentence> sentences_;  // In the search, by their number there.
  uint64_t last_number_ = 0;
  uint64_t ended_seen_ = 0;  // Requests that were over when the batch was looked through last.
};

}  // namespace eatt::serving
