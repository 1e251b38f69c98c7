#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bundle/place.h"
#include "runtime/layers/observer.h"

namespace eatt::inspection {

// Counts of one place that makes codes.
struct CodeCounts {
  struct Word {
    uint64_t positions = 0;
    std::vector<uint32_t> fires;  // By feature.
  };

  uint64_t positions = 0;
  uint64_t ones = 0;            // Of all binary digits: the rows that are added.
  std::vector<uint64_t> fires;  // By feature: positions where it is not zero.
  std::unordered_map<std::string, Word> words;

  void add(const CodeRows& codes, size_t row, const std::string& word);
  void add(const CodeCounts& other);
};

// Sums of one attention.
struct EntropyCounts {
  double nats = 0, shares = 0;
  uint64_t rows = 0, shared_rows = 0;  // Of all heads; the latter those with two keys or more.

  void add(const EntropyCounts& other);
};

using CodePlaces = std::map<std::pair<Place, Duty>, CodeCounts>;
using EntropyPlaces = std::map<Place, EntropyCounts>;

// Watches a model that decodes one sentence after another, each alone in its batch.
class SentenceObserver : public Observer {
 public:
  // The next sentence: the words of all source positions and of all that the decoder is fed.
  void begin(std::vector<std::string> source_words, std::vector<std::string> target_words);

  bool wants_scores() const override { return true; }
  void codes(const CodeRows& codes) override;
  void scores(const AttentionMechanism& mechanism, const ScoreBlock& block) override;

  // Cross-attention of the sentence: [target positions][source positions] of a layer and a head,
  // both from 1; head 0 is the mean of all.
  std::vector<std::vector<float>> cross_attention(size_t layer, size_t head) const;

  const CodePlaces& all_codes() const { return codes_; }
  // Of the sentence alone.
  const EntropyPlaces& entropies() const { return entropies_; }

 private:
  struct CrossLayer {
    size_t heads = 0;
    std::vector<std::vector<float>> rows;  // By target position: [heads · keys]
  };

  std::vector<std::string> source_words_, target_words_;
  std::map<std::pair<Place, Duty>, size_t> passed_;  // Positions of the sentence so far.
  CodePlaces codes_;
  EntropyPlaces entropies_;
  std::map<size_t, CrossLayer> cross_;  // By layer.
};

}  // namespace eatt::inspection
