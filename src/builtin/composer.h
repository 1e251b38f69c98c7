#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace eatt::builtin {

// A word of one side. Words of the two sides that carry the same link translate each other; 0 means
// that the word has no counterpart.
struct Token {
  std::string text;
  int link = 0;
};
using Words = std::vector<Token>;

// A part of a sentence in both languages. Either side may be empty: this is how a constituent that
// is one word in one language takes two places in the other ("没" and "did … not").
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

// A finished sentence pair: the words of both sides, and the links, sorted and without duplicates.
struct SentencePair {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<Link> links;
};

// Links every source word with every target word that carries the same number.
SentencePair finish(const Phrase& sentence);

enum class Spacing {
  words,  // Words separated by one space: "大约 50 年 前"
  none,   // As Chinese is written: "大约50年前"
};
std::string join(const std::vector<std::string>& words, Spacing spacing);

// "0-0 2-1", the Pharaoh format. A side with Spacing::none is counted in characters (Unicode code
// points) instead of words, and each character of a word has all links of the word.
std::string pharaoh(const SentencePair& pair, Spacing source, Spacing target);

// Composes one sentence: assigns the links and makes the random choices.
class Composer {
 public:
  explicit Composer(Random& random) : random_(random) {}

  // A part of a rule, to be named in its templates.
  struct Part {
    std::string_view name;
    const Phrase& phrase;
  };

  // A synchronous rule, written as two templates of words separated by one space. {name} stands for
  // that side of a part; word/1 is linked with all words of the other template that end in /1; any
  // other word has no counterpart.
  //   rule("大约/1 {number} 年/2 前/3", "around/1 {number} years/2 ago/3", {{"number", number}})
  // The template of each side names every part that has words on that side exactly once, so no word
  // is lost or duplicated. An empty part adds nothing.
  Phrase rule(std::string_view source, std::string_view target,
              std::initializer_list<Part> parts = {});

  // Every word of one side linked with every word of the other: linked("警察", "police officer").
  Phrase linked(std::string_view source, std::string_view target);

  // Words on one side only that carry a link made by new_link(), or none.
  Phrase source_only(std::string_view words, int link = 0);
  Phrase target_only(std::string_view words, int link = 0);
  int new_link() { return ++last_link_; }

  bool chance(double probability) { return random_.chance(probability); }

  // Uniformly distributed, from 0 to bound − 1.
  size_t below(size_t bound) { return static_cast<size_t>(random_.below(bound)); }

  // Somewhat skewed, as words are in real text: the first of many is chosen three times as often as
  // the last.
  size_t skewed_below(size_t bound);

  template <typename List>
  const auto& pick(const List& list) {
    return std::data(list)[skewed_below(std::size(list))];
  }

  // An item of a list in which each has a `weight`: its probability is its share of the total.
  template <typename List>
  const auto& pick_weighted(const List& list) {
    uint64_t total = 0;
    for (const auto& item : list) total += item.weight;
    uint64_t left = random_.below(total);
    size_t index = 0;
    while (left >= std::data(list)[index].weight) left -= std::data(list)[index++].weight;
    return std::data(list)[index];
  }

 private:
  Random& random_;
  int last_link_ = 0;
};

}  // namespace eatt::builtin
