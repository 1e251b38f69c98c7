#include "builtin/composer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"

namespace eatt::builtin {
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
