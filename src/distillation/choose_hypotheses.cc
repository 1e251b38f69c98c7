#include "distillation/choose_hypotheses.h"

#include "base/error.h"
#include "evaluation/bleu.h"

namespace eatt {
namespace {

// Sentence BLEU of every candidate of every translation, one after another.
std::vector<double> sentence_scores(std::span<const std::vector<const Hypothesis*>> candidates,
                                    std::span<const std::string_view> references,
                                    evaluation::Tokenizer tokenizer) {
  std::vector<std::string_view> texts, their_references;
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (const Hypothesis* hypothesis : candidates[i]) {
      texts.push_back(hypothesis->text);
      their_references.push_back(references[i]);
    }
  }
  const evaluation::Bleu bleu({.tokenizer = tokenizer, .effective_order = true});
  const evaluation::Sentences one_reference(their_references);
  const auto statistics = evaluation::collect_statistics(bleu, texts, std::span(&one_reference, 1));
  std::vector<double> scores;
  for (size_t i = 0; i < texts.size(); ++i) scores.push_back(bleu.score(statistics.line(i)));
  return scores;
}

}  // namespace

std::vector<const Hypothesis*> choose_hypotheses(std::span<const Translation> translations,
                                                 std::span<const std::string_view> references,
                                                 const DistillOptions& options) {
  expects(translations.size() == references.size(), "a reference for each translation");
  std::vector<std::vector<const Hypothesis*>> candidates(translations.size());
  for (size_t i = 0; i < translations.size(); ++i) {
    for (const Hypothesis& hypothesis : translations[i].hypotheses) {
      if (hypothesis.finished || !options.drop_cut) candidates[i].push_back(&hypothesis);
    }
  }
  std::vector<double> scores;
  if (options.choice == HypothesisChoice::reference) {
    scores = sentence_scores(candidates, references, options.tokenizer);
  }
  std::vector<const Hypothesis*> chosen;
  size_t first_score = 0;
  for (const auto& own : candidates) {
    size_t best = 0;
    for (size_t k = 1; k < own.size() && !scores.empty(); ++k) {
      if (scores[first_score + k] > scores[first_score + best]) best = k;
    }
    chosen.push_back(own.empty() ? nullptr : own[best]);
    first_score += own.size();
  }
  return chosen;
}

}  // namespace eatt
