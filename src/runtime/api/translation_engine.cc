#include "runtime/api/translation_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/error.h"
#include "base/stop_signal.h"
#include "base/text/utf8.h"
#include "base/threads.h"
#include "runtime/api/option_fields.h"
#include "runtime/api/word_alignment.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "text/sentences/sentences.h"

namespace eatt {

// What is searched for at once: a whole task, a sentence of it, or a part of what is too long.
struct TranslationEngine::Part {
  std::string_view text;
  SearchTask search;
  size_t first_word = 0;
  bool after_tab = false;
};

namespace {

// The number of words that begin before `at`, less the one that goes on there.
size_t words_before(std::string_view text, size_t at) {
  const size_t words = count_words(text.substr(0, at));
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const bool inside_word = at > 0 && !is_space(text[at - 1]);
  return words - (inside_word ? 1 : 0);
}

// Of two parts of one text.
std::string_view text_between(std::string_view left, std::string_view right) {
  const char* const begin = left.data() + left.size();
  return {begin, static_cast<size_t>(right.data() - begin)};
}

void make_valid(std::string& text) {
  if (!is_valid_utf8(text)) text = replace_invalid_utf8(text);
}

Translation empty_translation() {
  Translation translation;
  translation.hypotheses.emplace_back();
  return translation;
}

// Each part of a text gets its own random numbers.
uint64_t sampling_number(uint64_t task, size_t part) {
  return task + (static_cast<uint64_t>(part) << 40);
}

std::vector<std::string> piece_texts(std::span<const int32_t> ids, const Pieces& pieces) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const int32_t id : ids) texts.push_back(pieces.piece(id));
  return texts;
}

}  // namespace

TranslationEngine::TranslationEngine(Parts parts, const TranslatorOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      splitter_(parts_.source_language),
      models_(parts_.make_model) {
  translator_fields().check(options);
  // Errors in a model's options are reported now, not at the first sentence.
  const Pool<StepModel>::Lease first(models_);
}

int TranslationEngine::threads() const {
  return options_.threads > 0 ? options_.threads : thread_count();
}

size_t TranslationEngine::most_pieces() const {
  return std::min(options_.max_input_pieces,
                  parts_.max_source_pieces.value_or(options_.max_input_pieces));
}

// If several tasks cannot be prepared, the first is reported, whichever thread was faster.
std::vector<std::vector<TranslationEngine::Part>> TranslationEngine::prepare_all(
    std::span<const TranslationTask> tasks) const {
  std::vector<std::vector<Part>> parts(tasks.size());
  std::vector<std::string> problems(tasks.size());
  parallel_for(tasks.size(), threads(), [&](size_t i) {
    const uint64_t number = tasks[i].number >= 0 ? static_cast<uint64_t>(tasks[i].number) : i;
    try {
      parts[i] = prepare(tasks[i], number);
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

std::vector<int32_t> TranslationEngine::prefix_pieces(const TranslationTask& task) const {
  std::vector<int32_t> ids = parts_.target->encode(task.prefix);
  if (ids.size() <= most_pieces()) return ids;
  throw Error(fmt::format("the prefix has {} pieces, but it may have {}; make it shorter",
                          ids.size(), most_pieces()));
}

// The sentences of a task, if it is to be split and has several; else its whole text.
std::vector<std::string_view> TranslationEngine::sentences_of(const TranslationTask& task) const {
  const std::string_view source = task.source;
  std::vector<std::string_view> sentences;
  if (options_.split_sentences && task.prefix.empty() && !task.stays_whole) {
    for (const TextRange range : splitter_.split(source)) sentences.push_back(range.of(source));
  }
  if (sentences.size() < 2) return {source};
  return sentences;
}

// The parts that are translated on their own, without those that have no pieces.
std::vector<TranslationEngine::EncodedText> TranslationEngine::encode_parts(
    const TranslationTask& task) const {
  const auto count = [&](std::string_view text) {
    if (options_.before_step) options_.before_step();
    return parts_.source->encode(text).size();
  };
  std::vector<EncodedText> parts;
  for (const auto sentence : sentences_of(task)) {
    std::vector<int32_t> ids = parts_.source->encode(sentence);
    if (ids.size() <= most_pieces()) {
      parts.emplace_back(sentence, std::move(ids));
      continue;
    }
    if (!options_.split_long_input) {
      throw Error(fmt::format(
          "has {} pieces, but an input may have {}; let long input be split at sentence ends, or "
          "make it shorter",
          ids.size(), most_pieces()));
    }
    for (const auto part : split_long_text(sentence, most_pieces(), count, splitter_)) {
      parts.emplace_back(part, parts_.source->encode(part));
    }
  }
  if (parts.size() > 1) std::erase_if(parts, [](const auto& part) { return part.second.empty(); });
  return parts;
}

std::vector<TranslationEngine::Part> TranslationEngine::prepare(const TranslationTask& task,
                                                                uint64_t number) const {
  const std::string_view source = task.source;
  std::vector<Part> parts;
  size_t passed = 0, words = 0;  // Of the source, up to the part before.
  for (auto& [text, ids] : encode_parts(task)) {
    Part part{text, {std::move(ids), {}, sampling_number(number, parts.size())}};
    if (parts.empty()) part.search.prefix = prefix_pieces(task);
    const auto begin = static_cast<size_t>(text.data() - source.data());
    words += words_before(source.substr(passed), begin - passed);
    passed = begin;
    part.first_word = words;
    part.after_tab =
        !parts.empty() && text_between(parts.back().text, text).find('\t') != source.npos;
    parts.push_back(std::move(part));
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
  std::vector<std::vector<Part>> parts = prepare_all(tasks);
  std::vector<Part*> flat;
  std::vector<size_t> lengths;
  for (auto& of_task : parts) {
    for (Part& part : of_task) {
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
      const Part& part = *flat[batch[k]];
      translated[batch[k]] = {translation_of(part.text, part.search.source, std::move(found[k])),
                              part.first_word, part.after_tab};
    }
  });

  std::vector<Translation> result;
  size_t first = 0;
  for (const auto& of_task : parts) {
    const auto own = std::span(translated).subspan(first, of_task.size());
    first += of_task.size();
    const bool empty = own.empty() || (own.size() == 1 && own[0].translation.hypotheses.empty());
    result.push_back(empty ? empty_translation() : join_translations(own));
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

Translation TranslationEngine::translation_of(std::string_view text,
                                              std::span<const int32_t> source,
                                              std::vector<SearchHypothesis> found) const {
  Translation translation;
  for (SearchHypothesis& hypothesis : found) {
    translation.hypotheses.push_back(hypothesis_of(std::move(hypothesis)));
  }
  translation.source_pieces = piece_texts(source, *parts_.source);
  translation.source_words = options_.wants_attention ? words_of_text(text, source, *parts_.source)
                                                      : words_of_pieces(source, *parts_.source);
  return translation;
}

Hypothesis TranslationEngine::hypothesis_of(SearchHypothesis found) const {
  return {.text = parts_.target->decode(found.pieces),
          .pieces = piece_texts(found.pieces, *parts_.target),
          .words = words_of_pieces(found.pieces, *parts_.target),
          .score = found.score,
          .log_probability = found.log_probability,
          .piece_scores = std::move(found.piece_scores),
          .attention = shifted(std::move(found.attention)),
          .attention_begin = {},
          .finished = found.finished};
}

// A row later for each piece: what the step that reads it looked at. The last has none and stays.
std::vector<std::vector<float>> TranslationEngine::shifted(
    std::vector<std::vector<float>> attention) const {
  if (options_.alignment_shift == 0 || attention.size() < 2) return attention;
  attention.erase(attention.begin());
  attention.push_back(attention.back());
  return attention;
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
    tasks[i] = {parts_.source->encode(pairs[i].first), parts_.target->encode(pairs[i].second)};
  });
  std::vector<size_t> lengths;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const size_t longest = std::max(tasks[i].source.size(), tasks[i].target.size());
    if (longest > most_pieces()) {
      throw Error(fmt::format(
          "line {}: the {} has {} pieces, but an input may have {}; a pair to be scored cannot be "
          "split",
          first_number + i + 1, longest == tasks[i].source.size() ? "source" : "translation",
          longest, most_pieces()));
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
      result[i] = translation_of(pairs[i].first, tasks[i].source, {std::move(scored[k])});
      Hypothesis& hypothesis = result[i].hypotheses.front();
      hypothesis.text = pairs[i].second;
      hypothesis.words = words_of_text(pairs[i].second, tasks[i].target, *parts_.target);
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
