#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/translator.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"
#include "text/sentences/sentences.h"

namespace eatt {

// What is searched for at once: a whole text, a sentence of it, or a part of what is too long.
struct TextPart {
  std::string_view text;  // Of the task's source.
  SearchTask search;
  size_t first_word = 0;   // The white-space word of the whole text in which it begins.
  bool after_tab = false;  // Whether a tab separates it from the part before.
};

// Such a part, translated.
struct TranslatedPart {
  Translation translation;
  size_t first_word = 0;
  bool after_tab = false;
};

// From texts to what is searched for, and back to texts. Const functions may be called from many
// threads.
class TextParts {
 public:
  // What it needs of a model.
  struct Sides {
    const Pieces* source = nullptr;
    const Pieces* target = nullptr;
    std::optional<size_t> max_source_pieces = {};  // Of the model itself.
    std::string source_language = {};              // A code such as "en"; empty if not known.
  };
  TextParts(Sides sides, const TranslatorOptions& options);

  // The parts of a task, whose texts are valid UTF-8 and outlive them; `number` is the task's, for
  // sampling. Throws an Error if it is too long and may not be split, or its prefix is too long.
  std::vector<TextPart> split(const TranslationTask& task, uint64_t number) const;

  // The translation of a part whose search found this.
  TranslatedPart translated(const TextPart& part, std::vector<SearchHypothesis> found) const;
  // The same of any text and its pieces.
  Translation translation_of(std::string_view text, const SearchTask& task,
                             std::vector<SearchHypothesis> found) const;

  const Pieces& source() const { return *sides_.source; }
  const Pieces& target() const { return *sides_.target; }
  // The longest text that is searched for at once.
  size_t most_pieces() const;

 private:
  using EncodedText = std::pair<std::string_view, std::vector<int32_t>>;

  std::vector<int32_t> prefix_pieces(const TranslationTask& task) const;
  std::vector<std::string_view> sentences_of(const TranslationTask& task) const;
  std::vector<EncodedText> encode_parts(const TranslationTask& task) const;
  Hypothesis hypothesis_of(SearchHypothesis found) const;
  std::vector<std::vector<float>> shifted(std::vector<std::vector<float>> attention) const;

  Sides sides_;
  TranslatorOptions options_;
  SentenceSplitter splitter_;
};

// Replaces what is not UTF-8, so that a text can be split.
void make_valid(std::string& text);

// The translation of the whole text: the best hypotheses of the parts are joined to one, the second
// best to the next, and so on (a part that has fewer gives its last). Texts are joined with a
// space, or the tab that was there, and without any after Chinese and Japanese. Scores and
// log-probabilities are added up. Of no parts, and of one without hypotheses, it is empty.
Translation join_translations(std::span<TranslatedPart> parts);

}  // namespace eatt
