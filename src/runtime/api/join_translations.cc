#include "runtime/api/join_translations.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "runtime/api/split_text.h"

namespace eatt {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Words of the joined text before the next part; the part's first word is the last of them if no
// space comes between.
int32_t words_before(const Hypothesis& whole, bool space) {
  const int32_t words = whole.words.empty() ? 0 : whole.words.back() + 1;
  return space || words == 0 ? words : words - 1;
}

// `source_begin`: the part's first source piece in the whole.
void append_part(Hypothesis& whole, const Hypothesis& part, size_t source_begin) {
  const bool space = !whole.text.empty() && !part.text.empty() && !joins_without_space(whole.text);
  const int32_t first_word = words_before(whole, space || part.text.empty());
  if (space) whole.text += ' ';
  whole.text += part.text;
  append(whole.pieces, part.pieces);
  for (const int32_t word : part.words) whole.words.push_back(first_word + std::max(word, 0));
  whole.score += part.score;
  whole.log_probability += part.log_probability;
  whole.finished = whole.finished && part.finished;
  // What the parts before said of their end markers gives way to what follows them.
  const size_t pieces_before = whole.pieces.size() - part.pieces.size();
  whole.piece_scores.resize(std::min(whole.piece_scores.size(), pieces_before));
  append(whole.piece_scores, part.piece_scores);
  if (part.attention.empty()) return;
  whole.attention.resize(pieces_before);
  whole.attention_begin.resize(pieces_before);
  append(whole.attention, part.attention);
  whole.attention_begin.resize(whole.attention.size(), source_begin);
}

}  // namespace

Translation join_translations(std::span<TranslatedPart> parts) {
  expects(!parts.empty(), "a text has a part at least");
  if (parts.size() == 1) return std::move(parts.front().translation);
  Translation whole;
  size_t hypotheses = 0;
  for (const TranslatedPart& part : parts) {
    hypotheses = std::max(hypotheses, part.translation.hypotheses.size());
  }
  whole.hypotheses.resize(hypotheses);
  for (const TranslatedPart& part : parts) {
    const Translation& translation = part.translation;
    const size_t source_begin = whole.source_pieces.size();
    append(whole.source_pieces, translation.source_pieces);
    for (const int32_t word : translation.source_words) {
      whole.source_words.push_back(static_cast<int32_t>(part.first_word) + std::max(word, 0));
    }
    for (size_t i = 0; i < hypotheses; ++i) {
      const size_t given = std::min(i, translation.hypotheses.size() - 1);
      append_part(whole.hypotheses[i], translation.hypotheses[given], source_begin);
    }
  }
  return whole;
}

}  // namespace eatt
