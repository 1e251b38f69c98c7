#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/api/text_parts.h"
#include "text/sentences/sentences.h"

namespace eatt {

namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Words of the joined text before the next part; the part's first word is the last of them if no
// space comes between.
int32_t words_before(const Hypothesis& joined, bool space) {
  const int32_t words = joined.words.empty() ? 0 : joined.words.back() + 1;
  return space || words == 0 ? words : words - 1;
}

// What comes between two translations.
std::string_view separator(std::string_view left, std::string_view right, bool tab) {
  if (left.empty() || right.empty()) return "";
  return tab ? "\t" : joins_without_space(left, right) ? "" : " ";
}

// `source_begin`: the part's first source piece in the whole text.
void append_part(Hypothesis& joined, const Hypothesis& part, size_t source_begin, bool after_tab) {
  const std::string_view space = separator(joined.text, part.text, after_tab);
  const int32_t first_word = words_before(joined, !space.empty() || part.text.empty());
  joined.text += space;
  joined.text += part.text;
  append(joined.pieces, part.pieces);
  for (const int32_t word : part.words) joined.words.push_back(first_word + std::max(word, 0));
  joined.score += part.score;
  joined.log_probability += part.log_probability;
  joined.finished = joined.finished && part.finished;
  // The scores of this part replace that of the end marker before it.
  const size_t pieces_before = joined.pieces.size() - part.pieces.size();
  joined.piece_scores.resize(std::min(joined.piece_scores.size(), pieces_before));
  append(joined.piece_scores, part.piece_scores);
  if (part.attention.empty()) return;
  joined.attention.resize(pieces_before);
  joined.attention_begin.resize(pieces_before);
  append(joined.attention, part.attention);
  joined.attention_begin.resize(joined.attention.size(), source_begin);
}

}  // namespace

Translation join_translations(std::span<TranslatedPart> parts) {
  const bool empty =
      parts.empty() || (parts.size() == 1 && parts.front().translation.hypotheses.empty());
  Translation joined;
  if (empty) {
    joined.hypotheses.emplace_back();
    return joined;
  }
  if (parts.size() == 1) return std::move(parts.front().translation);
  size_t hypotheses = 0;
  for (const TranslatedPart& part : parts) {
    hypotheses = std::max(hypotheses, part.translation.hypotheses.size());
  }
  joined.hypotheses.resize(hypotheses);
  for (const TranslatedPart& part : parts) {
    const Translation& translation = part.translation;
    const size_t source_begin = joined.source_pieces.size();
    append(joined.source_pieces, translation.source_pieces);
    for (const int32_t word : translation.source_words) {
      joined.source_words.push_back(static_cast<int32_t>(part.first_word) + std::max(word, 0));
    }
    for (size_t i = 0; i < hypotheses; ++i) {
      const size_t given = std::min(i, translation.hypotheses.size() - 1);
      append_part(joined.hypotheses[i], translation.hypotheses[given], source_begin,
                  part.after_tab);
    }
  }
  return joined;
}

}  // namespace eatt
