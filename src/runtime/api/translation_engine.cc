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
#include "runtime/search/search.h"
#include "text/pieces/words.h"

namespace eatt {

std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });

  const size_t workers = std::max<size_t>(limits.workers, 1);
  const size_t fair_share = (order.size() + workers - 1) / workers;
  const size_t most = std::max<size_t>(1, std::min(limits.sentences, fair_share));
  std::vector<std::vector<size_t>> batches;
  size_t words = 0;
  for (const size_t i : order) {
    if (batches.empty() || batches.back().size() == most || words + lengths[i] > limits.words) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(i);
    words += lengths[i];
  }
  return batches;
}

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
  std::vector<size_t> lengths;
  for (const auto& of_task : parts) {
    for (const TextPart& part : of_task) {
      flat.push_back(&part);
      lengths.push_back(part.search.source.size());
    }
  }
  std::vector<TranslatedPart> translated(flat.size());
  for_each_batch(lengths, [&](StepModel& model, std::span<const size_t> batch) {
    std::vector<SearchTask> batch_tasks;
    for (const size_t i : batch) batch_tasks.push_back(flat[i]->search);
    auto found = eatt::search(model, batch_tasks, search);
    for (size_t k = 0; k < batch.size(); ++k) {
      translated[batch[k]] = texts_.translated(*flat[batch[k]], std::move(found[k]));
    }
  });

  std::vector<Translation> result;
  size_t first = 0;
  for (const auto& of_task : parts) {
    result.push_back(join_translations(std::span(translated).subspan(first, of_task.size())));
    first += of_task.size();
  }
  return result;
}

void TranslationEngine::for_each_batch(
    std::span<const size_t> lengths,
    const std::function<void(StepModel&, std::span<const size_t>)>& body) const {
  const auto batches = plan_batches(
      lengths, {options_.batch_words, options_.batch_sentences, static_cast<size_t>(threads())});
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
