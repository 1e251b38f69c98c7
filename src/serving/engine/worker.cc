#include "serving/engine/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/threads.h"
#include "runtime/api/option_fields.h"
#include "runtime/search/step_model.h"
#include "text/pieces/pieces.h"

namespace eatt::serving {
namespace {

TranslatorOptions with_attention(TranslatorOptions options) {
  options.wants_attention = true;
  return options;
}

}  // namespace

Workplace::Workplace(const std::string& bundle, const EngineOptions& given)
    : options(given),
      workers(static_cast<size_t>(given.workers > 0 ? given.workers : thread_count())),
      translator(bundle, with_attention(given.translator)),
      cache(given.cache_bytes),
      queue(given.queue_limit) {}

Worker::Worker(Workplace& place)
    : place_(place),
      texts_(place.translator.texts()),
      model_(place.translator.make_step_model()),
      search_(*model_) {}

// As many sentences as a batch may have, of more pieces than most, with translations as long.
void Worker::warm_up() {
  constexpr size_t kPieces = 64;
  const size_t words = place_.options.batch_words;
  const size_t pieces = std::clamp<size_t>(model_->max_target_pieces() - 1, 1, kPieces);
  const size_t rows = std::clamp<size_t>(words / pieces, 1, place_.options.batch_rows);
  const SearchOptions options{.min_length = static_cast<int>(pieces),
                              .max_length = static_cast<int>(pieces)};
  for (size_t i = 0; i < rows; ++i)
    search_.add({.source = std::vector<int32_t>(pieces, kUnknownPiece)}, options, ++last_number_);
  while (!search_.empty()) {
    for (const FinishedSearch& one : search_.step()) {
      if (one.failure) std::rethrow_exception(one.failure);
    }
  }
}

void Worker::run() {
  while (gather()) {
    try {
      step();
    } catch (const std::exception& error) {
      fail_all(user_message(error));
    }
  }
}

// Delivers replies and fills the batch. Returns when there is something to advance; false if there
// is nothing, and nothing will come any more.
bool Worker::gather() {
  std::unique_lock lock(place_.mutex);
  for (;;) {
    place_.queue.expire(Clock::now());
    drop_ended();
    if (auto delivery = place_.queue.take_delivery()) {
      lock.unlock();
      delivery->done(std::move(delivery->reply));
      lock.lock();
    } else if (auto turn = place_.queue.take([&](const auto& next) { return fits(next); })) {
      turn->split ? split(turn->sentence, lock) : join(turn->sentence);
    } else if (!search_.empty()) {
      return true;
    } else if (place_.ending && place_.queue.idle()) {
      return false;
    } else {
      place_.wake.wait(lock);
    }
  }
}

// Whether there is room in the batch, and other workers have as much to do. An empty batch has room
// for any sentence.
bool Worker::fits(const Sentence& next) const {
  if (search_.empty()) return true;
  const size_t sentences = place_.counters.running + place_.queue.sentences_waiting();
  const size_t fair_share = (sentences + place_.workers - 1) / place_.workers;
  return search_.sentences() < fair_share &&
         search_.most_rows() + RunningSearch::most_rows(next.work().search) <=
             place_.options.batch_rows &&
         search_.source_pieces() + next.text().search.source.size() <= place_.options.batch_words;
}

void Worker::split(const Sentence& sentence, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  JobInWork& job = sentence.work();
  std::vector<TextPart> parts;
  std::string problem;
  try {
    check_search_options(job.search);
    parts = texts_.split(job.task, /*number=*/sentence.job);
    for (TextPart& part : parts) {
      part.search.wants_attention = job.wants_attention;
      part.search.wants_scores = job.wants_scores;
    }
  } catch (const std::exception& error) {
    problem = user_message(error);
  }
  lock.lock();
  if (!problem.empty()) return fail(sentence, problem);
  place_.queue.add_parts(sentence, std::move(parts));
  const bool for_others = job.parts_left > 1 || !search_.empty();
  if (for_others) place_.wake.notify_all();
  if (job.parts_left > 0 || sentence.request->over) return;
  lock.unlock();
  complete(sentence);
  lock.lock();
}

void Worker::join(const Sentence& sentence) {
  try {
    search_.add(sentence.text().search, sentence.work().search, ++last_number_);
  } catch (const std::exception& error) {
    return fail(sentence, user_message(error));
  }
  sentences_.emplace(last_number_, sentence);
  ++place_.counters.running;
}

// The sentences of requests that were cancelled or failed, or whose time is up, leave the batch.
void Worker::drop_ended() {
  if (std::exchange(ended_seen_, place_.queue.ended()) == place_.queue.ended()) return;
  place_.counters.running -= std::erase_if(sentences_, [&](const auto& numbered) {
    if (!numbered.second.request->over) return false;
    search_.remove(numbered.first);
    return true;
  });
}

void Worker::step() {
  const auto found = search_.step();
  {
    const std::lock_guard lock(place_.mutex);
    ++place_.counters.steps;
    place_.counters.rows += search_.last_rows();
  }
  for (FinishedSearch& one : found) finish(one);
}

void Worker::finish(FinishedSearch& found) {
  const auto place = sentences_.find(found.id);
  const Sentence sentence = place->second;
  TranslatedPart translated;
  std::string problem;
  try {
    if (found.failure) std::rethrow_exception(found.failure);
    translated = texts_.translated(sentence.text(), std::move(found.hypotheses));
  } catch (const std::exception& error) {
    problem = user_message(error);
  }
  sentences_.erase(place);
  {
    const std::lock_guard lock(place_.mutex);
    --place_.counters.running;
    if (!problem.empty()) return fail(sentence, problem);
    place_.counters.source_pieces += sentence.text().search.source.size();
    place_.counters.target_pieces += translated.translation.hypotheses.front().pieces.size();
    JobInWork& job = sentence.work();
    job.translated[sentence.part] = std::move(translated);
    if (--job.parts_left > 0 || sentence.request->over) return;
  }
  complete(sentence);
}

// All parts of the job are translated, so nobody else works on it.
void Worker::complete(const Sentence& sentence) {
  JobInWork& job = sentence.work();
  Translation translation;
  std::string problem;
  try {
    translation = join_translations(job.translated);
    if (!job.cache_key.empty()) {
      auto kept = std::make_shared<const Translation>(translation);
      place_.cache.insert(std::move(job.cache_key), std::move(kept));
    }
  } catch (const std::exception& error) {
    problem = user_message(error);
  }
  const std::lock_guard lock(place_.mutex);
  if (!problem.empty()) return fail(sentence, problem);
  place_.queue.complete(sentence, std::move(translation));
}

// The lock is held.
void Worker::fail(const Sentence& sentence, const std::string& what) {
  place_.queue.end(
      *sentence.request,
      {.outcome = Outcome::failed, .error = fmt::format("text {}: {}", sentence.job + 1, what)});
}

void Worker::fail_all(const std::string& what) {
  const std::lock_guard lock(place_.mutex);
  for (const auto& [number, sentence] : sentences_) fail(sentence, what);
  place_.counters.running -= sentences_.size();
  sentences_.clear();
  search_.clear();
}

}  // namespace eatt::serving
