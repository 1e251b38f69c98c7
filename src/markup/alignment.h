#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/api/translator.h"
#include "text/sentences/sentences.h"

namespace eatt::markup {

// The tokens of a text, in order: words, punctuation marks one by one, Chinese and Japanese
// characters one by one. They cover everything but white space. `cuts` are bytes at which a token
// ends in any case, ascending.
std::vector<TextRange> tokens_of(std::string_view text, std::span<const size_t> cuts = {});

inline constexpr size_t kNoToken = static_cast<size_t>(-1);

// Which tokens of a text and its translation belong together, by the model's attention.
struct TokenAlignment {
  std::vector<TextRange> source, target;
  // Of each target token the source token that it attends to most; kNoToken if none.
  std::vector<size_t> source_of;

  // The other way round, for words that no target token attends to most.
  struct Choice {
    size_t target = kNoToken;
    float probability = 0;
  };
  std::vector<Choice> best_target;  // Of each source token.
};

// `text` is what was translated. Hypothesis 0 counts; its text may be detokenized.
TokenAlignment align_tokens(std::string_view text, std::span<const size_t> cuts,
                            const Translation& translation);

}  // namespace eatt::markup
