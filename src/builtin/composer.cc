#include "builtin/composer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"

namespace eatt::builtin {
namespace {

std::vector<std::string> texts(const Words& words) {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const Token& token : words) result.push_back(token.text);
  return result;
}

int characters(std::string_view utf8) {
  return static_cast<int>(
      std::ranges::count_if(utf8, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// Where each word starts, in the units of the alignment; the last entry is the end.
std::vector<int> unit_starts(const std::vector<std::string>& words, Spacing spacing) {
  std::vector<int> starts = {0};
  starts.reserve(words.size() + 1);
  for (const std::string& word : words) {
    starts.push_back(starts.back() + (spacing == Spacing::words ? 1 : characters(word)));
  }
  return starts;
}

}  // namespace

SentencePair finish(const Phrase& sentence) {
  SentencePair pair{texts(sentence.source), texts(sentence.target), {}};
  for (size_t i = 0; i < sentence.source.size(); ++i) {
    const int link = sentence.source[i].link;
    if (link == 0) continue;
    for (size_t j = 0; j < sentence.target.size(); ++j) {
      if (sentence.target[j].link == link) {
        pair.links.push_back({static_cast<int>(i), static_cast<int>(j)});
      }
    }
  }
  return pair;  // Sorted by construction: i, then j.
}

std::string join(const std::vector<std::string>& words, Spacing spacing) {
  std::string text;
  for (const std::string& word : words) {
    if (spacing == Spacing::words && !text.empty()) text += ' ';
    text += word;
  }
  return text;
}

std::string pharaoh(const SentencePair& pair, Spacing source, Spacing target) {
  const std::vector<int> source_starts = unit_starts(pair.source, source);
  const std::vector<int> target_starts = unit_starts(pair.target, target);
  std::vector<Link> links;
  for (const Link& link : pair.links) {
    const auto s = static_cast<size_t>(link.source);
    const auto t = static_cast<size_t>(link.target);
    for (int i = source_starts[s]; i < source_starts[s + 1]; ++i) {
      for (int j = target_starts[t]; j < target_starts[t + 1]; ++j) links.push_back({i, j});
    }
  }
  std::ranges::sort(links);
  std::string text;
  for (const Link& link : links) {
    if (!text.empty()) text += ' ';
    text += std::to_string(link.source) + '-' + std::to_string(link.target);
  }
  return text;
}

namespace {

constexpr size_t kMaxParts = 16;
constexpr size_t kMaxLabels = 10;  // /0 to /9

// Calls visit(word) for each word of `text`.
template <typename Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void append_all(Words& words, std::string_view text, int link) {
  for_each_word(text, [&](std::string_view word) { words.push_back({std::string(word), link}); });
}

using Parts = std::initializer_list<Composer::Part>;

// One side of a rule.
class Side {
 public:
  Side(Words Phrase::*words, Parts parts, std::array<int, kMaxLabels>& links)
      : words_(words), parts_(parts), links_(links) {}

  template <typename NewLink>
  Words expand(std::string_view text, const NewLink& new_link) {
    Words result;
    for_each_word(text, [&](std::string_view word) {
      if (word.front() == '{') {
        append(result, take_part(word));
      } else if (word.size() > 2 && word[word.size() - 2] == '/') {
        const auto label = static_cast<size_t>(word.back() - '0');
        expects(label < kMaxLabels, "a label in a rule is one digit");
        if (links_[label] == 0) links_[label] = new_link();
        result.push_back({std::string(word.substr(0, word.size() - 2)), links_[label]});
      } else {
        result.push_back({std::string(word), 0});
      }
    });
    check_nothing_is_lost();
    return result;
  }

 private:
  const Words& take_part(std::string_view word) {
    const std::string_view name = word.substr(1, word.size() - 2);
    size_t index = 0;
    for (const Composer::Part& part : parts_) {
      if (part.name == name) {
        expects(!std::exchange(used_[index], true), "a rule uses a part once on each side");
        return part.phrase.*words_;
      }
      ++index;
    }
    expects(false, "a rule has a part " + std::string(word));
    return parts_.begin()->phrase.*words_;
  }

  void check_nothing_is_lost() const {
    size_t index = 0;
    for (const Composer::Part& part : parts_) {
      if (used_[index++] || (part.phrase.*words_).empty()) continue;
      expects(false, "a rule names part {" + std::string(part.name) + "}, which has words");
    }
  }

  Words Phrase::*words_;
  Parts parts_;
  std::array<int, kMaxLabels>& links_;
  std::array<bool, kMaxParts> used_{};
};

}  // namespace

Phrase Composer::rule(std::string_view source, std::string_view target, Parts parts) {
  expects(parts.size() <= kMaxParts, "a rule has few parts");
  std::array<int, kMaxLabels> links{};
  const auto link = [this] { return new_link(); };
  return {Side(&Phrase::source, parts, links).expand(source, link),
          Side(&Phrase::target, parts, links).expand(target, link)};
}

Phrase Composer::linked(std::string_view source, std::string_view target) {
  const int link = new_link();
  Phrase phrase;
  append_all(phrase.source, source, link);
  append_all(phrase.target, target, link);
  return phrase;
}

Phrase Composer::source_only(std::string_view words, int link) {
  Phrase phrase;
  append_all(phrase.source, words, link);
  return phrase;
}

Phrase Composer::target_only(std::string_view words, int link) {
  Phrase phrase;
  append_all(phrase.target, words, link);
  return phrase;
}

size_t Composer::skewed_below(size_t bound) {
  const size_t index = below(bound);
  return chance(0.5) ? std::min(index, below(bound)) : index;
}

}  // namespace eatt::builtin
