#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eatt::builtin {

// A word of one side. Words of the two sides that carry the same link translate each other; 0 means
// that the word has no counterpart.
struct Token {
  std::string text;
  int link = 0;
};
using Words = std::vector<Token>;

// A piece of a sentence in both languages. Either side may be empty: that is how a constituent that
// stands together in one language is spread over two places in the other ("没" against "did …
// not").
struct Phrase {
  Words source;
  Words target;
};

// A link of a gold alignment, zero-based.
struct Link {
  int source;
  int target;
  auto operator<=>(const Link&) const = default;
};

// A finished sentence pair: the words of both sides, and the links sorted, each of them once.
struct SentencePair {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<Link> links;
};

// Links every source word with every target word that carries the same number.
SentencePair finish(const Phrase& sentence);

enum class Spacing {
  words,  // Words apart by one space: "大约 50 年 前"
  none,   // As Chinese is written: "大约50年前"
};
std::string join(const std::vector<std::string>& words, Spacing spacing);

// "0-0 2-1", the Pharaoh format. A side with Spacing::none is counted in characters (Unicode code
// points) instead of words, and each character of a word has all links of the word.
std::string pharaoh(const SentencePair& pair, Spacing source, Spacing target);

}  // namespace eatt::builtin
