#include "markup/aligned.h"

#include "text/pieces/words.h"

namespace eatt::markup {
namespace {

struct Pieces {
  std::vector<std::string> texts;
  std::vector<int32_t> words;
  std::vector<size_t> first_of_word;
  int mark = -1;  // The last punctuation mark.
};

Pieces pieces_of(std::string_view text) {
  Pieces pieces;
  for (const std::string_view word : split_words(text)) {
    const auto number = static_cast<int32_t>(pieces.first_of_word.size());
    pieces.first_of_word.push_back(pieces.texts.size());
    const bool has_mark =
        word.size() > 1 && std::string_view(".,!?").find(word.back()) != word.npos;
    pieces.texts.push_back("▁" + std::string(word.substr(0, word.size() - (has_mark ? 1 : 0))));
    pieces.words.push_back(number);
    if (!has_mark) continue;
    pieces.mark = static_cast<int>(pieces.texts.size());
    pieces.texts.emplace_back(word.substr(word.size() - 1));
    pieces.words.push_back(number);
  }
  return pieces;
}

}  // namespace

Translation aligned_translation(std::string_view source, std::string_view target,
                                const std::vector<int>& source_of) {
  const Pieces from = pieces_of(source), to = pieces_of(target);
  Translation translation;
  translation.source_pieces = from.texts;
  translation.source_words = from.words;
  Hypothesis hypothesis;
  hypothesis.text = target;
  hypothesis.pieces = to.texts;
  hypothesis.words = to.words;
  for (size_t i = 0; i <= to.texts.size(); ++i) {
    std::vector<float> row(from.texts.size() + 1);
    size_t at = from.texts.size();
    if (i < to.texts.size()) {
      const auto word = static_cast<size_t>(to.words[i]);
      if (to.first_of_word[word] != i) {
        if (from.mark >= 0) at = static_cast<size_t>(from.mark);
      } else if (source_of.at(word) >= 0) {
        at = from.first_of_word.at(static_cast<size_t>(source_of[word]));
      }
    }
    row[at] = 1;
    hypothesis.attention.push_back(row);
  }
  translation.hypotheses.push_back(hypothesis);
  return translation;
}

Translation echo(std::string_view source) {
  std::vector<int> same;
  for (size_t i = 0; i < count_words(source); ++i) same.push_back(static_cast<int>(i));
  return aligned_translation(source, source, same);
}

}  // namespace eatt::markup
