#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/api/text_parts.h"
#include "serving/engine/engine.h"

namespace eatt::serving {

using Clock = std::chrono::steady_clock;

// A job on its way from text to translation.
struct JobInWork {
  TranslationTask task;
  SearchOptions search;
  bool wants_attention = false;
  bool wants_scores = true;
  std::string cache_key = {};                   // Empty: its translation is not kept.
  std::vector<TextPart> parts = {};             // Of the task, once it was split,
  std::vector<TranslatedPart> translated = {};  // and their translations.
  size_t parts_waiting = 0;                     // Those that are in no batch yet,
  size_t parts_left = 0;                        // and those without a translation.
  std::optional<Translation> translation = {};
};

// Requests in the order of their turns.
struct Request;
using Line = std::list<std::shared_ptr<Request>>;

struct Request {
  Clock::time_point deadline;
  std::function<void(Reply)> done;
  std::vector<JobInWork> jobs;  // Those that have a translation from the start came from the cache.

  // What follows is the queue's.
  uint64_t ticket = 0;
  std::optional<Line::iterator> place = {};  // In the line, if it has something to do.
  bool over = false;              // The reply was sent; what is still computed is dropped.
  std::deque<size_t> whole = {};  // Jobs that nobody has split yet.
  std::deque<std::pair<size_t, size_t>> ready = {};  // Job and part: those in no batch yet.
  size_t jobs_left = 0;                              // Without a translation.
  size_t jobs_waiting = 0;                           // Not completely in batches.
};

// A part of a job of a request. The request lives as long as somebody works on it.
struct Sentence {
  std::shared_ptr<Request> request;
  size_t job = 0;
  size_t part = 0;

  JobInWork& work() const { return request->jobs[job]; }
  TextPart& text() const { return work().parts[part]; }
};

// Requests that were accepted and not answered. They take turns: the next sentence of one, then of
// the next one. Not for several threads at once: the engine has a lock around it.
class RequestQueue {
 public:
  // `limit`: the most jobs that wait. A request with more is taken when nothing else waits: it
  // would never fit otherwise.
  explicit RequestQueue(size_t limit) : limit_(limit) {}

  // Throws QueueFull and forgets the request.
  uint64_t add(std::shared_ptr<Request> request);

  // What is to be done next.
  struct Turn {
    Sentence sentence;
    bool split = false;  // Its job has to be split first; then call add_parts().
  };
  // Nothing if there is nothing to do or the next sentence does not fit.
  std::optional<Turn> take(const std::function<bool(const Sentence&)>& fits);
  // The parts of the sentence's job, of which those with pieces are searched for.
  void add_parts(const Sentence& sentence, std::vector<TextPart> parts);
  // The job has its translation; the last one of a request sends the reply.
  void complete(const Sentence& sentence, Translation translation);

  // Sends the reply unless there was one already.
  void end(Request& request, Reply reply);
  void cancel(uint64_t ticket);
  // Ends the requests whose deadline has passed.
  void expire(Clock::time_point now);

  // A reply that somebody has to deliver, outside the lock.
  struct Delivery {
    std::function<void(Reply)> done;
    Reply reply;
  };
  std::optional<Delivery> take_delivery();

  bool idle() const { return line_.empty() && deliveries_.empty(); }
  size_t jobs_waiting() const { return jobs_waiting_; }
  size_t sentences_waiting() const { return sentences_waiting_; }  // A whole job counts as one.
  uint64_t ended() const { return ended_; }                        // Requests that are over, ever.

 private:
  void part_taken(Request& request, JobInWork& job);
  void move_to(Line::iterator place, const std::shared_ptr<Request>& request);
  void leave_line(Request& request);

  const size_t limit_;
  uint64_t last_ticket_ = 0;
  std::unordered_map<uint64_t, std::shared_ptr<Request>> requests_;  // By ticket; none is over.
  std::set<std::pair<Clock::time_point, uint64_t>> deadlines_;       // Of each of them.
  Line line_;  // Those with something to do, each once: more places would be more turns.
  std::deque<Delivery> deliveries_;
  size_t jobs_waiting_ = 0;
  size_t sentences_waiting_ = 0;
  uint64_t ended_ = 0;
};

}  // namespace eatt::serving
