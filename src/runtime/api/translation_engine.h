#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "bundle/bundle.h"
#include "runtime/api/translator.h"
#include "runtime/layers/model.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"
#include "text/sentences/sentences.h"

namespace eatt {

// What a Translator does once its models are loaded: text to pieces, parts, batches, search on many
// threads, and back to text in the order of the tasks. Knows models only as a StepModel.
class TranslationEngine {
 public:
  struct Parts {
    const Pieces* source = nullptr;
    const Pieces* target = nullptr;
    Pool<StepModel>::Make make_model;
    std::optional<size_t> max_source_pieces;  // Of the model itself.
    std::string source_language = {};         // A code such as "en"; empty if it is not known.
  };
  // Throws a UsageError for limits of 0.
  TranslationEngine(Parts parts, const TranslatorOptions& options);

  std::vector<Translation> translate(std::span<const TranslationTask> tasks,
                                     const SearchOptions& search) const;
  std::vector<Translation> score(std::span<const std::pair<std::string, std::string>> pairs,
                                 uint64_t first_number = 0) const;

 private:
  struct Part;
  using EncodedText = std::pair<std::string_view, std::vector<int32_t>>;

  int threads() const;
  size_t most_pieces() const;
  std::vector<std::vector<Part>> prepare_all(std::span<const TranslationTask> tasks) const;
  std::vector<int32_t> prefix_pieces(const TranslationTask& task) const;
  std::vector<std::string_view> sentences_of(const TranslationTask& task) const;
  std::vector<EncodedText> encode_parts(const TranslationTask& task) const;
  std::vector<Part> prepare(const TranslationTask& task, uint64_t number) const;
  void for_each_batch(std::span<const size_t> lengths,
                      const std::function<void(StepModel&, std::span<const size_t>)>& body) const;
  Translation translation_of(std::string_view text, std::span<const int32_t> source,
                             std::vector<SearchHypothesis> found) const;
  Hypothesis hypothesis_of(SearchHypothesis found) const;
  std::vector<std::vector<float>> shifted(std::vector<std::vector<float>> attention) const;

  Parts parts_;
  TranslatorOptions options_;
  SentenceSplitter splitter_;
  mutable Pool<StepModel> models_;
};

struct BatchLimits {
  size_t words = 1024;    // Pieces in a batch; a longer sentence is a batch of its own.
  size_t sentences = 32;  // And the most sentences.
  size_t workers = 1;     // Threads: batches are small enough for each to get one.
};

// Indices of `lengths` as batches: sentences of similar length together, the longest first, so that
// what is left for the end is short. Sentences without pieces are in none. The same lengths give
// the same batches.
std::vector<std::vector<size_t>> plan_batches(std::span<const size_t> lengths,
                                              const BatchLimits& limits);

// A sentence of a text, or a part of one that was too long, translated.
struct TranslatedPart {
  Translation translation;
  size_t first_word = 0;   // The white-space word of the whole text in which it begins.
  bool after_tab = false;  // Whether a tab separates it from the part before.
};

// The translation of the whole text: the best hypotheses of the parts are joined to one, the second
// best to the next, and so on (a part that has fewer gives its last). Texts are joined with a
// space, or the tab that was there, and without any after Chinese and Japanese. Scores and
// log-probabilities are added up.
Translation join_translations(std::span<TranslatedPart> parts);

// How a model translates a sentence by greedy search, for other machines to compare with.
GoldenPair translate_golden(const Model& model, const Pieces& source_pieces,
                            const Pieces& target_pieces, const std::string& source);

}  // namespace eatt
