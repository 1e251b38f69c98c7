#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/api/translator.h"

namespace eatt::serving {

// One text of a request, translated on its own.
struct Job {
  std::string text;
  SearchOptions search = {};
  bool wants_attention = false;  // Of the layer and head in TranslatorOptions, for alignments.
  bool wants_scores = true;      // Without them, greedy search is faster; see SearchTask.
};

enum class Outcome { done, cancelled, timed_out, failed };

struct Reply {
  Outcome outcome = Outcome::done;
  std::string error = {};                      // One sentence; of `failed`.
  std::vector<Translation> translations = {};  // In the order of the jobs; of `done`.
};

struct EngineOptions {
  int workers = 0;            // Threads that translate; 0: as many as CPUs.
  size_t batch_rows = 64;     // Most hypotheses that one worker advances in a step; not 0 here.
  size_t batch_words = 2048;  // Most source pieces of them.
  size_t queue_limit = 1024;  // Jobs that wait; more are refused.
  size_t cache_bytes = 16u << 20;  // Translations that are kept; 0: none.
  // How the model is opened. It always gives attention, to the jobs that want it.
  TranslatorOptions translator = {};
};

struct EngineStatus {
  size_t waiting = 0;  // Jobs that are not completely in a batch.
  size_t running = 0;  // Sentences in the batches of all workers.
  uint64_t cache_hits = 0, cache_misses = 0;
  uint64_t steps = 0;          // Of all workers.
  uint64_t rows = 0;           // Hypotheses that these steps advanced.
  uint64_t source_pieces = 0;  // Of sentences that were translated,
  uint64_t target_pieces = 0;  // and of their best translations.
};

// The jobs do not fit into the queue.
struct QueueFull : Error {
  using Error::Error;
};

// Translates jobs of many requests in shared batches: a sentence joins the running batch of a
// worker at the next step and leaves it when it is done. Requests take turns, so that a large one
// does not hold up the small ones. All functions may be called from any thread.
class Engine {
 public:
  // Returns when every worker has translated a made-up batch. Throws an Error as Translator does,
  // and a UsageError for options out of range.
  Engine(const std::string& bundle, const EngineOptions& options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();  // Finishes what was accepted.

  // `done` is called exactly once, by a worker thread, never inside submit, and must not throw. A
  // job that cannot be translated makes the request fail, and no other. Throws QueueFull if the
  // jobs do not fit into the queue. The ticket is for cancel().
  using Ticket = uint64_t;
  Ticket submit(std::vector<Job> jobs, std::chrono::steady_clock::time_point deadline,
                std::function<void(Reply)> done);

  // The sentences of the request leave their batches at the next step; `done` gets
  // Outcome::cancelled, unless it was called already.
  void cancel(Ticket ticket);

  EngineStatus status() const;

  // The same model outside the batches: for scores, single sentences, languages.
  const Translator& translator() const;

 private:
  void end();

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace eatt::serving
