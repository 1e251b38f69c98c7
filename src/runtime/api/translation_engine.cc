#include "runtime/api/translation_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/error.h"
#include "base/stop_signal.h"
#include "base/threads.h"
#include "runtime/api/option_fields.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/running_search.h"
#include "runtime/search/search.h"
#include "text/pieces/words.h"

namespace eatt {

TranslationEngine::TranslationEngine(Parts parts, const TranslatorOptions& options)
    : options_(options), texts_(std::move(parts.sides), options), models_(parts.make_model) {
  translator_fields().check(options);
  // Errors in a model's options are reported now, not at the first sentence.
  const Pool<StepModel>::Lease first(models_);
}

int TranslationEngine::threads() const {
  return options_.threads > 0 ? options_.threads : thread_count();
}

// If several tasks cannot be prepared, the first is reported, whichever thread was faster.
std::vector<std::vector<TextPart>> TranslationEngine::prepare_all(
    std::span<const TranslationTask> tasks) const {
  std::vector<std::vector<TextPart>> parts(tasks.size());
  std::vector<std::string> problems(tasks.size());
  parallel_for(tasks.size(), threads(), [&](size_t i) {
    const uint64_t number = tasks[i].number >= 0 ? static_cast<uint64_t>(tasks[i].number) : i;
    try {
      parts[i] = texts_.split(tasks[i], number);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {
      problems[i] = fmt::format("line {}: {}", number + 1, error.what());
    }
  });
  for (const std::string& problem : problems) {
    if (!problem.empty()) throw Error(problem);
  }
  return parts;
}

std::vector<Translation> TranslationEngine::translate(std::span<const TranslationTask> given,
                                                      const SearchOptions& search) const {
  std::vector<TranslationTask> tasks(given.begin(), given.end());
  for (TranslationTask& task : tasks) {
    make_valid(task.source);
    make_valid(task.prefix);
  }
  check_search_options(search);
  if (search.coverage_penalty != 0 && !options_.wants_attention) {
    throw UsageError(
        "--coverage-penalty needs the attention over the source, which this translator was opened "
        "without; give it, or --alignment hard, when opening the translator (in C++: "
        "wants_attention)");
  }
  std::vector<std::vector<TextPart>> parts = prepare_all(tasks);
  std::vector<const TextPart*> flat;
  for (const auto& of_task : parts) {
    for (const TextPart& part : of_task) flat.push_back(&part);
  }
  std::vector<TranslatedPart> translated(flat.size());
  search_all(flat, search, [&](size_t part, std::vector<SearchHypothesis> found) {
    translated[part] = texts_.translated(*flat[part], std::move(found));
  });

  std::vector<Translation> result;
  size_t first = 0;
  for (const auto& of_task : parts) {
    result.push_back(join_translations(std::span(translated).subspan(first, of_task.size())));
    first += of_task.size();
  }
  return result;
}

BatchLimits TranslationEngine::limits() const {
  return {options_.batch_words, options_.batch_sentences, static_cast<size_t>(threads())};
}

namespace {

// The search of one thread: sentences that are done leave at once, and others join.
class FedSearch {
 public:
  FedSearch(StepModel& model, std::span<const TextPart* const> parts, const SearchOptions& options,
            SentenceFeed& feed)
      : running_(model), parts_(parts), options_(options), feed_(feed) {}

  // Whether there is something to advance, once others have joined.
  bool fill() {
    if (feed_.wants_more(running_.sentences(), running_.source_pieces())) {
      while (const auto part = feed_.take(running_.sentences(), running_.source_pieces())) {
        running_.add(parts_[*part]->search, options_, *part);
      }
    }
    return !running_.empty();
  }
  std::span<FinishedSearch> step() { return running_.step(); }

 private:
  RunningSearch running_;
  std::span<const TextPart* const> parts_;
  const SearchOptions& options_;
  SentenceFeed& feed_;
};

}  // namespace

// Where operations are counted, batches are those of the plan: which sentences meet in a batch that
// is refilled depends on the speed of threads.
void TranslationEngine::search_all(std::span<const TextPart* const> parts,
                                   const SearchOptions& search, const Found& found) const {
  std::vector<size_t> lengths;
  for (const TextPart* part : parts) lengths.push_back(part->search.source.size());
  if (options_.records_activity) {
    return for_each_batch(lengths, [&](StepModel& model, std::span<const size_t> batch) {
      std::vector<SearchTask> tasks;
      for (const size_t i : batch) tasks.push_back(parts[i]->search);
      auto hypotheses = eatt::search(model, tasks, search);
      for (size_t k = 0; k < batch.size(); ++k) found(batch[k], std::move(hypotheses[k]));
    });
  }
  const size_t all = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  std::atomic<size_t> done = 0;
  SentenceFeed feed(lengths, limits());
  const size_t workers = std::min(static_cast<size_t>(threads()), parts.size());
  parallel_for(workers, threads(), [&](size_t) {
    const Pool<StepModel>::Lease model(models_);
    FedSearch fed(*model, parts, search, feed);
    try {
      while (fed.fill()) {
        size_t pieces = 0;
        for (FinishedSearch& one : fed.step()) {
          if (one.failure) std::rethrow_exception(one.failure);
          pieces += lengths[one.id];
          found(one.id, std::move(one.hypotheses));
        }
        if (pieces > 0 && options_.on_batch) options_.on_batch(done += pieces, all);
      }
    } catch (...) {
      feed.end();  // The call has failed, so the other threads need not start the rest.
      throw;
    }
  });
}

void TranslationEngine::for_each_batch(
    std::span<const size_t> lengths,
    const std::function<void(StepModel&, std::span<const size_t>)>& body) const {
  const auto batches = plan_batches(lengths, limits());
  const size_t all = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  std::atomic<size_t> done = 0;
  parallel_for(batches.size(), threads(), [&](size_t i) {
    body(*Pool<StepModel>::Lease(models_), batches[i]);
    if (!options_.on_batch) return;
    size_t pieces = 0;
    for (const size_t sentence : batches[i]) pieces += lengths[sentence];
    options_.on_batch(done += pieces, all);
  });
}

std::vector<Translation> TranslationEngine::score(
    std::span<const std::pair<std::string, std::string>> given, uint64_t first_number) const {
  std::vector<std::pair<std::string, std::string>> pairs(given.begin(), given.end());
  for (auto& [source, target] : pairs) {
    make_valid(source);
    make_valid(target);
  }
  std::vector<ScoreTask> tasks(pairs.size());
  parallel_for(pairs.size(), threads(), [&](size_t i) {
    tasks[i] = {texts_.source().encode(pairs[i].first), texts_.target().encode(pairs[i].second)};
  });
  std::vector<size_t> lengths;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const size_t longest = std::max(tasks[i].source.size(), tasks[i].target.size());
    if (longest > texts_.most_pieces()) {
      throw Error(fmt::format(
          "line {}: the {} has {} pieces, but an input may have {}; a pair to be scored cannot be "
          "split",
          first_number + i + 1, longest == tasks[i].source.size() ? "source" : "translation",
          longest, texts_.most_pieces()));
    }
    // Forced decoding takes steps of the target; a pair without any text still has its end marker.
    lengths.push_back(tasks[i].source.size() + tasks[i].target.size() + 1);
  }
  std::vector<Translation> result(pairs.size());
  for_each_batch(lengths, [&](StepModel& model, std::span<const size_t> batch) {
    std::vector<ScoreTask> batch_tasks;
    for (const size_t i : batch) batch_tasks.push_back(tasks[i]);
    auto scored = score_targets(model, batch_tasks);
    for (size_t k = 0; k < batch.size(); ++k) {
      const size_t i = batch[k];
      result[i] = texts_.translation_of(pairs[i].first, {.source = tasks[i].source},
                                        {std::move(scored[k])});
      Hypothesis& hypothesis = result[i].hypotheses.front();
      hypothesis.text = pairs[i].second;
      hypothesis.words = words_of_text(pairs[i].second, tasks[i].target, texts_.target());
    }
  });
  return result;
}

GoldenPair translate_golden(const Model& model, const Pieces& source_pieces,
                            const Pieces& target_pieces, const std::string& source) {
  TransformerSteps steps(model);
  const SearchTask task{.source = source_pieces.encode(source)};
  const SearchHypothesis best = search(steps, std::span(&task, 1), {}).front().front();
  return {
      .source = source, .target = target_pieces.decode(best.pieces), .score = best.log_probability};
}

}  // namespace eatt
