#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::evaluation {

// Every `from` in `line` becomes `to`, from left to right; results are not replaced again.
void replace_all(std::string& line, std::string_view from, std::string_view to);

// Writes out &quot; &amp; &lt; &gt; in this order, so &amp;lt; becomes <.
void replace_entities(std::string& line);

// How BLEU cuts a line into words; the names are sacreBLEU's.
enum class Tokenizer {
  v13a,       // mteval-v13a: Western punctuation; what most published scores use.
  intl,       // mteval-v14: punctuation and symbols of every script.
  zh,         // Every Chinese character alone, the rest as 13a.
  character,  // Every character alone.
  none,       // White space only, for text that is already tokenized.
};

std::string_view tokenizer_name(Tokenizer tokenizer);
std::optional<Tokenizer> tokenizer_from_name(std::string_view name);

// Appends the words of `line` to `words`. They point into `line` or into `scratch`, which is
// overwritten.
void tokenize(Tokenizer tokenizer, std::string_view line, std::string& scratch,
              std::vector<std::string_view>& words);

// Single tokenizers, for callers that need a certain one.
void split_on_space(std::string_view line, std::vector<std::string_view>& words);
void split_international(std::string_view line, std::vector<std::string_view>& words);

}  // namespace eatt::evaluation
