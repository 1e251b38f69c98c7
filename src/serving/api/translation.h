#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "markup/markup.h"
#include "serving/api/service.h"
#include "text/language/detect_language.h"

namespace eatt::serving {

// What both translation routes ask for.
struct TranslationOrder {
  std::shared_ptr<const ModelSet> models;  // Keeps `model` alive.
  const LoadedModel* model = nullptr;
  std::vector<std::string> texts;
  markup::MarkupOptions markup = {};
  SearchOptions search = {};
  bool wants_attention = false;  // In the translations, for alignments.
  bool wants_scores = false;     // Likewise; else they are 0.
};

struct TranslatedText {
  markup::Document document;
  std::vector<Translation> parts = {};  // Of the document's texts.

  // The text with the best translation of every part, or with the second best, …
  std::string text(size_t hypothesis = 0) const;
  // The hypotheses of the part that has the most.
  size_t hypotheses() const;
};

// Translates and calls `done` on a thread of the server; if anything goes wrong, the call fails.
Handler::Cancel submit_translation(
    Service& service, const CallPtr& call, TranslationOrder order,
    std::function<void(TranslationOrder, std::vector<TranslatedText>)> done);

size_t count_characters(std::string_view text);  // Of UTF-8.
// Checks that hold for both routes; throw an ApiError.
void check_texts(const std::vector<std::string>& texts, const ApiLimits& limits);

// The languages that texts may be in, the most likely first: those that the models have profiles
// of, and by their script source languages without. Tags, addresses and the like do not count.
// Never empty and never "und", unless that is what a model translates from; confidences that add up
// to less than 1 leave the rest to languages that no model knows.
std::vector<LanguageGuess> guess_languages(const ModelSet& models,
                                           std::span<const std::string> texts, bool html);
// The most likely from which a model translates to `target` (empty: to any language), or if there
// is none the most likely of all.
LanguageGuess guess_source(const ModelSet& models, std::span<const std::string> texts, bool html,
                           std::string_view target);

}  // namespace eatt::serving
