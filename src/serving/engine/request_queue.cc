#include "serving/engine/request_queue.h"

#include <fmt/format.h>

namespace eatt::serving {
namespace {

bool has_work(const Request& request) { return !request.whole.empty() || !request.ready.empty(); }

Reply reply_of(Request& request) {
  Reply reply;
  reply.translations.reserve(request.jobs.size());
  for (JobInWork& job : request.jobs) reply.translations.push_back(std::move(*job.translation));
  return reply;
}

}  // namespace

uint64_t RequestQueue::add(std::shared_ptr<Request> request) {
  for (size_t i = 0; i < request->jobs.size(); ++i) {
    if (!request->jobs[i].translation) request->whole.push_back(i);
  }
  const size_t jobs = request->whole.size();
  if (jobs_waiting_ > 0 && jobs_waiting_ + jobs > limit_) {
    throw QueueFull(
        fmt::format("the request has {} texts, and {} wait of at most {}; try again later", jobs,
                    jobs_waiting_, limit_));
  }
  request->ticket = ++last_ticket_;
  request->jobs_left = request->jobs_waiting = jobs;
  jobs_waiting_ += jobs;
  sentences_waiting_ += jobs;
  requests_.emplace(request->ticket, request);
  deadlines_.emplace(request->deadline, request->ticket);
  if (jobs == 0) {
    end(*request, reply_of(*request));
  } else {
    move_to(line_.end(), request);
  }
  return request->ticket;
}

std::optional<RequestQueue::Turn> RequestQueue::take(
    const std::function<bool(const Sentence&)>& fits) {
  if (line_.empty()) return std::nullopt;
  const std::shared_ptr<Request> request = line_.front();
  Turn turn{{.request = request}};
  if (!request->ready.empty()) {
    std::tie(turn.sentence.job, turn.sentence.part) = request->ready.front();
    if (!fits(turn.sentence)) return std::nullopt;
    request->ready.pop_front();
    part_taken(*request, turn.sentence.work());
  } else {
    turn.split = true;
    turn.sentence.job = request->whole.front();
    request->whole.pop_front();
  }
  --sentences_waiting_;
  if (has_work(*request)) {
    move_to(line_.end(), request);
  } else {
    leave_line(*request);
  }
  return turn;
}

void RequestQueue::move_to(Line::iterator place, const std::shared_ptr<Request>& request) {
  if (request->place) {
    line_.splice(place, line_, *request->place);
  } else {
    request->place = line_.insert(place, request);
  }
}

void RequestQueue::leave_line(Request& request) {
  if (!request.place) return;
  line_.erase(*request.place);
  request.place.reset();
}

void RequestQueue::part_taken(Request& request, JobInWork& job) {
  if (--job.parts_waiting > 0) return;
  --request.jobs_waiting;
  --jobs_waiting_;
}

// The request comes to the front, so that what was split is searched for before others are split.
void RequestQueue::add_parts(const Sentence& sentence, std::vector<TextPart> parts) {
  Request& request = *sentence.request;
  if (request.over) return;
  JobInWork& job = sentence.work();
  job.parts = std::move(parts);
  job.translated.resize(job.parts.size());
  for (size_t i = 0; i < job.parts.size(); ++i) {
    if (job.parts[i].search.source.empty()) continue;
    request.ready.emplace_back(sentence.job, i);
    ++job.parts_left;
  }
  job.parts_waiting = job.parts_left;
  sentences_waiting_ += job.parts_left;
  if (job.parts_left > 0) {
    move_to(line_.begin(), sentence.request);
  } else {
    job.parts_waiting = 1;
    part_taken(request, job);
  }
}

void RequestQueue::complete(const Sentence& sentence, Translation translation) {
  Request& request = *sentence.request;
  if (request.over) return;
  sentence.work().translation = std::move(translation);
  if (--request.jobs_left == 0) end(request, reply_of(request));
}

void RequestQueue::end(Request& request, Reply reply) {
  if (request.over) return;
  request.over = true;
  ++ended_;
  leave_line(request);
  jobs_waiting_ -= request.jobs_waiting;
  sentences_waiting_ -= request.whole.size() + request.ready.size();
  deliveries_.push_back({std::move(request.done), std::move(reply)});
  deadlines_.erase({request.deadline, request.ticket});
  requests_.erase(request.ticket);  // Somebody else holds it: whoever called this.
}

void RequestQueue::cancel(uint64_t ticket) {
  const auto found = requests_.find(ticket);
  if (found == requests_.end()) return;
  const std::shared_ptr<Request> request = found->second;
  end(*request, {.outcome = Outcome::cancelled});
}

void RequestQueue::expire(Clock::time_point now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const std::shared_ptr<Request> request = requests_.at(deadlines_.begin()->second);
    end(*request, {.outcome = Outcome::timed_out});
  }
}

std::optional<RequestQueue::Delivery> RequestQueue::take_delivery() {
  if (deliveries_.empty()) return std::nullopt;
  Delivery delivery = std::move(deliveries_.front());
  deliveries_.pop_front();
  return delivery;
}

}  // namespace eatt::serving
