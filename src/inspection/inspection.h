#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bundle/bundle.h"
#include "bundle/place.h"
#include "evaluation/alignments.h"
#include "runtime/api/word_alignment.h"

// What a model does with a text: how many features its codes have on, how sharp its attention is,
// where it looks, and which features stand for which words. By forced decoding with the runtime, so
// for every mechanism and precision.
namespace eatt::inspection {

struct InspectionOptions {
  std::optional<Precision> precision{};  // Nothing: as the bundle is stored.
  AlignmentSource source = {};           // Whose weights are kept.
  AlignmentUnits units = AlignmentUnits::word;
  size_t features = 3;       // To list for each place that has codes.
  size_t feature_words = 4;  // To list for each of them.
};

// How a word's positions share a feature.
struct FeatureWord {
  std::string word;
  uint64_t fires = 0;      // Positions of the word where the feature is not zero,
  uint64_t positions = 0;  // of so many.
};

struct Feature {
  size_t number = 0;  // From 0: the column of the input.
  double share = 0;   // Of all positions, where it is not zero.
  // Those with the most firings beyond what `share` would give them.
  std::vector<FeatureWord> words;
};

// The codes made in one place: of the input of self-attention, of the query of cross-attention, or,
// in decoder layer 0, of the encoder's output, the key of all cross-attentions.
struct CodeReport {
  Place place;
  double density = 0;             // ρ: rows of weights added per feature.
  std::vector<Feature> features;  // The most frequent first.
};

// The attention of one layer. Entropy is the mean over heads and positions.
struct AttentionReport {
  Place place;
  std::string mechanism;
  double entropy = 0;        // Nats.
  double entropy_share = 0;  // Of ln(keys), the most that so many keys allow; 0 to 1.
};

// The error of alignments against gold links, of the mean over heads and of the best head.
struct LayerError {
  size_t layer = 0;
  evaluation::AlignmentScore predicting{}, reading{};  // Mean of heads, shift 0 and 1.
  AlignmentSource best{};                              // Of single heads.
  evaluation::AlignmentScore best_score{};
};

// A sentence, its translation, and the attention between them.
struct AlignedSentence {
  std::vector<std::string> source, target;  // Words, or pieces.
  std::vector<std::vector<float>> weights;  // [target][source]
  std::vector<float> end_marker;            // [target]: what the source's end marker got
  std::vector<WordLink> links;
};

struct Inspection {
  std::string model;      // The bundle.
  std::string precision;  // "float32" or "int8"
  std::string mechanism;  // Of the layer whose weights are kept: "vanilla", "E-ATT, binary codes".
  size_t sentences = 0, source_positions = 0, target_positions = 0;
  AlignmentSource source;
  std::vector<CodeReport> codes{};
  std::vector<AttentionReport> attention{};
  std::vector<LayerError> errors{};  // Empty without gold links.
  std::vector<AlignedSentence> alignments{};
};

// A sentence and its translation; without one, the model's own is taken (greedy search).
struct SentencePair {
  std::string source;
  std::optional<std::string> target;
};

// Throws an Error if a sentence is too long for the model, with its line, or if gold links do not
// fit the text; a UsageError if the model has no such layer or head.
Inspection inspect(const std::string& bundle, const std::vector<SentencePair>& text,
                   const InspectionOptions& options, const evaluation::Alignments* gold = nullptr);

// For people.
std::string to_text(const Inspection& found);
// One sentence's alignment: each target word with the source words that it looks at most.
std::string alignment_text(const AlignedSentence& sentence);
// For programs: everything but the alignments.
std::string to_json(const Inspection& found);
// {"sentences": [{"source": […], "target": […], "weights": [[…]], "model": "…", "attention": "…"}]}
std::string alignments_json(const Inspection& found);

}  // namespace eatt::inspection
