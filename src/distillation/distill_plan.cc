#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/bundle.h"
#include "distillation/distill.h"
#include "evaluation/bleu.h"
#include "runtime/api/option_fields.h"
#include "text/corpus/languages.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const fs::path& file) { return "SHA-256 " + sha256_of_file(file); }

void add_inputs(const DistillOptions& options, PreparationPlan& plan) {
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const PairInput& input = options.inputs[i];
    const std::string key = fmt::format("input {}", i + 1);
    if (input.is_tsv()) {
      plan.emplace_back(fmt::format("{} ({})", key, input.tsv_description()),
                        digest_of(input.source.path));
    } else {
      plan.emplace_back(key + " source", digest_of(input.source.path));
      plan.emplace_back(key + " target", digest_of(input.target.path));
    }
  }
}

// The manifest has the hashes of all other files of the bundle, so its own hash is enough.
void add_teachers(const DistillOptions& options, PreparationPlan& plan) {
  for (size_t i = 0; i < options.teachers.size(); ++i) {
    plan.emplace_back(fmt::format("teacher {}", i + 1),
                      digest_of(fs::path(options.teachers[i]) / kManifestFile));
  }
  if (!options.weights.empty()) {
    plan.emplace_back("--weights", fmt::format("{}", fmt::join(options.weights, " ")));
  }
}

void add_search(const DistillOptions& options, PreparationPlan& plan) {
  for (const auto& field : search_fields()) {
    plan.emplace_back("--" + field.name, field.get(options.search));
  }
  const TranslatorOptions& translator = options.translator;
  plan.emplace_back("--precision",
                    translator.precision.empty() ? "as stored" : translator.precision);
  plan.emplace_back("--shortlist",
                    translator.shortlist.empty() ? "none" : digest_of(translator.shortlist));
  plan.emplace_back("--max-input-length", fmt::format("{}", translator.max_input_pieces));
}

}  // namespace

SideNames name_sides(const DistillOptions& options) {
  const Bundle teacher = Bundle::open(options.teachers.front(), {.verify_hashes = false});
  std::string source = teacher.manifest().source_language;
  std::string target = teacher.manifest().target_language;
  const auto unfit = [&] { return source.empty() || target.empty() || source == target; };
  if (unfit() || source == kUnknownLanguage || target == kUnknownLanguage) {
    source = ending_of(options.inputs.front().source);
    target = ending_of(options.inputs.front().target);
  }
  if (unfit()) return {"train.source", "train.target"};
  return {"train." + source, "train." + target};
}

PreparationPlan make_distill_plan(const DistillOptions& options, const SideNames& names) {
  PreparationPlan plan;
  plan.emplace_back("files", names.source + " " + names.target);
  add_inputs(options, plan);
  add_teachers(options, plan);
  add_search(options, plan);
  const bool by_reference = options.choice == HypothesisChoice::reference;
  plan.emplace_back("--choose", by_reference ? "reference" : "best");
  if (by_reference) {
    plan.emplace_back("--tokenize", std::string(evaluation::tokenizer_name(options.tokenizer)));
  }
  plan.emplace_back("--keep-original", options.keep_original ? "yes" : "no");
  plan.emplace_back("--drop-cut", options.drop_cut ? "yes" : "no");
  return plan;
}

namespace {

// Sentence BLEU of all candidates of all translations, in one list.
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
