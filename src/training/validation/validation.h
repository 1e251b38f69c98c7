#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/alignments.h"
#include "evaluation/tokenizers.h"
#include "runtime/api/translator.h"
#include "runtime/api/word_alignment.h"
#include "training/options/training_options.h"

namespace eatt {

// ρ, the share of ones among the codes of a model, per layer; −1 where a layer has none.
struct Densities {
  std::vector<double> encoder_self, decoder_self, cross_query;
  double cross_key = -1;  // All layers share the codes of the encoder's output.

  bool any() const { return mean() >= 0; }
  double mean() const;  // Over all that have codes; −1 if none has.
};

// The scores of a model on a dev or test set.
struct ValidationScores {
  double cross_entropy = 0;  // Nats per piece, end markers included, no smoothing.
  double perplexity = 0;
  std::optional<double> bleu, chrf;  // Absent if nothing was translated.
  std::string bleu_signature;
  std::vector<std::string> translations;  // Empty if nothing was translated.
  Densities densities;
  double seconds = 0;

  // The score of this metric.
  double value(ValidMetric metric) const;
};

// {"encoder_self": [0.1, …], …}, without layers that have no codes.
nlohmann::json to_json(const Densities& densities);

// Cross-entropy, perplexity, BLEU with its signature, chrF and densities, as far as they are known.
nlohmann::json to_json(const ValidationScores& scores);

// A source text and its translation, line by line.
struct TextPair {
  std::filesystem::path source, target;
};

// How translations are made and scored.
struct Scoring {
  evaluation::Tokenizer tokenizer = evaluation::Tokenizer::v13a;
  SearchOptions search;
};

// Loss by libtorch, translations by the runtime. Throws an Error if the bundle or a text is
// missing, damaged or empty, or if the texts differ in their numbers of lines.
ValidationScores validate_bundle(const std::filesystem::path& bundle, const TextPair& text,
                                 const Scoring& scoring);

// Text with hand-made alignment links.
struct GoldText {
  TextPair text;
  std::filesystem::path links;
};

struct AlignmentRequest {
  std::filesystem::path bundle;
  TextPair text;
  std::optional<GoldText> choose_on;  // The source with the lowest error here is used,
  AlignmentSource source;             // or, without gold links, this one.
};

struct WordAlignment {
  AlignmentSource source;
  std::optional<double> error_rate;  // On the gold links, where there are any.
  evaluation::Alignments links;      // Per sentence, in order of source, then target.
};

// Links between white-space words of given translations, by forced decoding: each target word is
// linked to the source word with the most attention, summed over both words' pieces; to none if
// the end marker gets more. Throws a UsageError if the model has no such layer or head.
WordAlignment align_words(const AlignmentRequest& request);

}  // namespace eatt
