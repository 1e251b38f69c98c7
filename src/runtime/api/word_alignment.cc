#include "runtime/api/word_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/progress.h"

namespace eatt {

std::string print_alignment_source(const AlignmentSource& source) {
  const std::string head = source.head == 0 ? "mean of heads" : fmt::format("head {}", source.head);
  return fmt::format("layer {}, {}, shift {}", source.layer, head, source.shift);
}

std::vector<AlignmentSource> alignment_sources(const Architecture& architecture) {
  std::vector<AlignmentSource> sources;
  for (size_t layer = 1; layer <= architecture.decoder_layers(); ++layer) {
    for (size_t head = 0; head <= architecture.heads; ++head) {
      for (const size_t shift : {0, 1}) sources.push_back({layer, head, shift});
    }
  }
  return sources;
}

AlignmentSource checked_source(AlignmentSource source, const Architecture& architecture) {
  const size_t layers = architecture.decoder_layers();
  if (source.layer > layers) {
    throw UsageError(fmt::format("--layer is {}, but the model has {}; 0 is the last", source.layer,
                                 format_count(layers, "decoder layer")));
  }
  if (source.head > architecture.heads) {
    throw UsageError(fmt::format("--head is {}, but the model has {}; 0 is the mean of all",
                                 source.head, format_count(architecture.heads, "head")));
  }
  if (source.layer == 0) source.layer = layers;
  return source;
}

namespace {

// The unit of each piece.
std::vector<int32_t> units_of(const std::vector<int32_t>& words, AlignmentUnits units) {
  if (units == AlignmentUnits::word) return words;
  std::vector<int32_t> numbers(words.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Gathers the rows of one target unit's pieces. All are of one part of the source, or, where a word
// runs over the border of two parts, of two.
class RowSum {
 public:
  explicit RowSum(std::vector<int32_t> source_units) : source_units_(std::move(source_units)) {}

  void add(const std::vector<float>& attention, size_t begin) {
    expects(!attention.empty() && begin + attention.size() - 1 <= source_units_.size(),
            "attention covers source pieces and an end marker");
    for (size_t i = 0; i + 1 < attention.size(); ++i) {
      const int32_t unit = source_units_[begin + i];
      if (unit >= 0) slot(static_cast<size_t>(unit)) += attention[i];
    }
    end_marker_ += attention.back();
    ++pieces_;
  }

  // The mean; nothing is left behind for the next unit.
  void finish(size_t target, const std::function<void(const AlignmentRow&)>& use) {
    if (pieces_ == 0) return;
    const float share = 1 / static_cast<float>(pieces_);
    for (float& sum : sums_) sum *= share;
    use({target, first_, sums_, end_marker_ * share});
    sums_.clear();
    end_marker_ = 0;
    pieces_ = 0;
  }

 private:
  float& slot(size_t unit) {
    if (sums_.empty()) first_ = unit;
    if (unit < first_) {
      sums_.insert(sums_.begin(), first_ - unit, 0.0f);
      first_ = unit;
    }
    if (unit - first_ >= sums_.size()) sums_.resize(unit - first_ + 1);
    return sums_[unit - first_];
  }

  std::vector<int32_t> source_units_;
  std::vector<float> sums_;
  size_t first_ = 0;
  float end_marker_ = 0;
  int pieces_ = 0;
};

}  // namespace

void for_each_alignment_row(const Translation& translation, const Hypothesis& hypothesis,
                            AlignmentUnits units,
                            const std::function<void(const AlignmentRow&)>& use) {
  if (hypothesis.pieces.empty()) return;
  expects(hypothesis.attention.size() >= hypothesis.pieces.size(), "alignments need attention");
  RowSum sum(units_of(translation.source_words, units));
  const std::vector<int32_t> targets = units_of(hypothesis.words, units);
  int32_t current = -1;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != current && current >= 0) sum.finish(static_cast<size_t>(current), use);
    current = targets[i];
    if (current < 0) continue;
    const size_t begin = hypothesis.attention_begin.empty() ? 0 : hypothesis.attention_begin[i];
    sum.add(hypothesis.attention[i], begin);
  }
  if (current >= 0) sum.finish(static_cast<size_t>(current), use);
}

std::vector<WordLink> hard_alignment(const Translation& translation, const Hypothesis& hypothesis,
                                     AlignmentUnits units) {
  std::vector<WordLink> links;
  for_each_alignment_row(translation, hypothesis, units, [&](const AlignmentRow& row) {
    const auto best = std::ranges::max_element(row.probabilities);
    if (best == row.probabilities.end() || row.end_marker > *best) return;
    const auto source = row.first_source + static_cast<size_t>(best - row.probabilities.begin());
    links.push_back({static_cast<uint32_t>(source), static_cast<uint32_t>(row.target)});
  });
  std::ranges::sort(links);
  return links;
}

std::vector<WordLink> threshold_alignment(const Translation& translation,
                                          const Hypothesis& hypothesis, AlignmentUnits units,
                                          float least) {
  std::vector<WordLink> links;
  for_each_alignment_row(translation, hypothesis, units, [&](const AlignmentRow& row) {
    for (size_t i = 0; i < row.probabilities.size(); ++i) {
      if (row.probabilities[i] < least) continue;
      links.push_back(
          {static_cast<uint32_t>(row.first_source + i), static_cast<uint32_t>(row.target)});
    }
  });
  std::ranges::sort(links);
  return links;
}

std::string print_links(std::span<const WordLink> links) {
  std::string text;
  for (const WordLink& link : links) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}-{}", link.source, link.target);
  }
  return text;
}

std::vector<double> word_scores(const Hypothesis& hypothesis) {
  std::vector<double> scores;
  for (size_t i = 0; i < hypothesis.words.size(); ++i) {
    if (hypothesis.words[i] < 0) continue;
    const auto word = static_cast<size_t>(hypothesis.words[i]);
    if (word >= scores.size()) scores.resize(word + 1);
    scores[word] += hypothesis.piece_scores[i];
  }
  return scores;
}

}  // namespace eatt
