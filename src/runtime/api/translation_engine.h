#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "bundle/bundle.h"
#include "runtime/api/batch_plan.h"
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
  using Found = std::function<void(size_t part, std::vector<SearchHypothesis>)>;
  void search_all(std::span<const TextPart* const> parts, const SearchOptions& search,
                  const Found& found) const;
  void for_each_batch(std::span<const size_t> lengths,
                      const std::function<void(StepModel&, std::span<const size_t>)>& body) const;
  BatchLimits limits() const;

  TranslatorOptions options_;
  TextParts texts_;
  mutable Pool<StepModel> models_;
};

// How a model translates a sentence by greedy search, for other machines to compare with.
GoldenPair translate_golden(const Model& model, const Pieces& source_pieces,
                            const Pieces& target_pieces, const std::string& source);

}  // namespace eatt
