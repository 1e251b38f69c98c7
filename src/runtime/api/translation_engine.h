#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "bundle/bundle.h"
#include "runtime/api/text_parts.h"
#include "runtime/api/translator.h"
#include "runtime/layers/model.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"

namespace eatt {

// What a Translator does once its models are loaded: parts of texts, batches, search on many
// threads, and back to text in the order of the tasks. Knows models only as a StepModel.
class TranslationEngine {
 public:
  struct Parts {
    TextParts::Sides sides;
    Pool<StepModel>::Make make_model;
  };
  // Throws a UsageError for limits of 0.
  TranslationEngine(Parts parts, const TranslatorOptions& options);

  std::vector<Translation> translate(std::span<const TranslationTask> tasks,
                                     const SearchOptions& search) const;
  std::vector<Translation> score(std::span<const std::pair<std::string, std::string>> pairs,
                                 uint64_t first_number = 0) const;

  const TextParts& texts() const { return texts_; }

 private:
  int threads() const;
  std::vector<std::vector<TextPart>> prepare_all(std::span<const TranslationTask> tasks) const;
  void for_each_batch(std::span<const size_t> lengths,
                      const std::function<void(StepModel&, std::span<const size_t>)>& body) const;

  TranslatorOptions options_;
  TextParts texts_;
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

// How a model translates a sentence by greedy search, for other machines to compare with.
GoldenPair translate_golden(const Model& model, const Pieces& source_pieces,
                            const Pieces& target_pieces, const std::string& source);

}  // namespace eatt
