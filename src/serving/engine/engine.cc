#include "serving/engine/engine.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "base/threads.h"
#include "serving/engine/worker.h"

namespace eatt::serving {
namespace {

void check_at_least(int64_t least, int64_t value, std::string_view what) {
  if (value >= least) return;
  throw UsageError(fmt::format("{} is {}; expected {} at least", what, value, least));
}

const EngineOptions& checked(const EngineOptions& options) {
  check_at_least(0, options.workers, "the number of workers");
  check_at_least(1, static_cast<int64_t>(options.batch_rows), "the most rows of a batch");
  check_at_least(1, static_cast<int64_t>(options.batch_words), "the most words of a batch");
  check_at_least(1, static_cast<int64_t>(options.queue_limit), "the limit of the queue");
  return options;
}

// As Translator numbers and names them, so that both translate alike.
JobInWork job_in_work(Job job, size_t number, TranslationCache& cache) {
  make_valid(job.text);
  std::string key = cache.enabled() ? cache_key(job, number) : "";
  JobInWork work{.task = {.source = std::move(job.text), .number = static_cast<int64_t>(number)},
                 .search = job.search,
                 .wants_attention = job.wants_attention,
                 .wants_scores = job.wants_scores,
                 .cache_key = std::move(key)};
  if (!cache.enabled()) return work;
  if (const auto known = cache.find(work.cache_key)) work.translation = *known;
  return work;
}

}  // namespace

struct Engine::Parts {
  Parts(const std::string& bundle, const EngineOptions& options) : place(bundle, options) {
    for (size_t i = 0; i < place.workers; ++i) workers.emplace_back(place);
  }

  Workplace place;
  std::deque<Worker> workers;
  ThreadGroup threads;  // Last: it is joined before anything else goes.
};

Engine::Engine(const std::string& bundle, const EngineOptions& options)
    : parts_(std::make_unique<Parts>(bundle, checked(options))) {
  ThreadGroup warming;
  for (Worker& worker : parts_->workers) warming.start([&worker] { worker.warm_up(); });
  warming.join();
  try {
    for (Worker& worker : parts_->workers) parts_->threads.start([&worker] { worker.run(); });
  } catch (...) {
    end();
    throw;
  }
}

Engine::~Engine() { end(); }

void Engine::end() {
  {
    const std::lock_guard lock(parts_->place.mutex);
    parts_->place.ending = true;
  }
  parts_->place.wake.notify_all();
}

Engine::Ticket Engine::submit(std::vector<Job> jobs, std::chrono::steady_clock::time_point deadline,
                              std::function<void(Reply)> done) {
  Workplace& place = parts_->place;
  auto request = std::make_shared<Request>();
  request->deadline = deadline;
  request->done = std::move(done);
  for (Job& job : jobs) {
    request->jobs.push_back(job_in_work(std::move(job), request->jobs.size(), place.cache));
  }
  Ticket ticket = 0;
  {
    const std::lock_guard lock(place.mutex);
    ticket = place.queue.add(std::move(request));
  }
  jobs.size() > 1 ? place.wake.notify_all() : place.wake.notify_one();
  return ticket;
}

void Engine::cancel(Ticket ticket) {
  Workplace& place = parts_->place;
  {
    const std::lock_guard lock(place.mutex);
    place.queue.cancel(ticket);
  }
  place.wake.notify_one();
}

EngineStatus Engine::status() const {
  const Workplace& place = parts_->place;
  EngineStatus status;
  {
    const std::lock_guard lock(place.mutex);
    status = place.counters;
    status.waiting = place.queue.jobs_waiting();
  }
  status.cache_hits = place.cache.hits();
  status.cache_misses = place.cache.misses();
  return status;
}

const Translator& Engine::translator() const { return parts_->place.translator; }

}  // namespace eatt::serving
