#include "runtime/api/word_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>

#include "base/error.h"

namespace eatt {

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

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Counts words over pieces as decoding shows them.
class WordCounter {
 public:
  // The word of the next piece; one that only holds space is in the word to come.
  int32_t pass(int32_t id, const Pieces& pieces) {
    if (id == kUnknownPiece) {  // Decoded with a space on either side.
      in_word_ = false;
      pass_letter();
      in_word_ = false;
      return word_;
    }
    const std::string& piece = pieces.piece(id);
    if (const auto byte = byte_of_piece(piece); byte && !pieces.is_normal(id)) {
      return pass_bytes({&*byte, 1});
    }
    return pass_bytes(piece);
  }

  int32_t words() const { return word_ + 1; }

 private:
  int32_t pass_bytes(std::string_view bytes) {
    int32_t first = -1;
    for (size_t at = 0; at < bytes.size(); ++at) {
      if (bytes.substr(at).starts_with(kSpaceMark)) {
        in_word_ = false;
        at += kSpaceMark.size() - 1;
      } else if (is_space(bytes[at])) {
        in_word_ = false;
      } else {
        pass_letter();
        if (first < 0) first = word_;
      }
    }
    return first < 0 ? word_ + 1 : first;
  }

  void pass_letter() {
    if (!in_word_) ++word_;
    in_word_ = true;
  }

  int32_t word_ = -1;
  bool in_word_ = false;
};

// Calls use(word) for each word.
template <typename Use>
void for_each_word(std::string_view text, Use&& use) {
  for (size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !is_space(text[end])) ++end;
    use(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

size_t count_words(std::string_view text) {
  size_t words = 0;
  for_each_word(text, [&](std::string_view) { ++words; });
  return words;
}

std::vector<int32_t> words_of_pieces(std::span<const int32_t> ids, const Pieces& pieces) {
  WordCounter counter;
  std::vector<int32_t> words;
  words.reserve(ids.size());
  for (const int32_t id : ids) words.push_back(counter.pass(id, pieces));
  for (int32_t& word : words) word = std::min(word, counter.words() - 1);
  return words;
}

std::vector<int32_t> words_of_text(std::string_view text, std::span<const int32_t> ids,
                                   const Pieces& pieces) {
  if (!pieces.encodes_word_by_word()) return words_of_pieces(ids, pieces);
  std::vector<int32_t> words;
  std::vector<int32_t> again;
  for_each_word(text, [&, number = 0](std::string_view word) mutable {
    pieces.append_encoded(word, again);
    words.resize(again.size(), number++);
  });
  // Anything else that joins words, such as a zero-width joiner between them, is found here.
  if (!std::ranges::equal(again, ids)) return words_of_pieces(ids, pieces);
  return words;
}

}  // namespace eatt
