#include "builtin/phrase.h"

#include <algorithm>
#include <array>

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

// Where each word starts in the units of the alignment; one entry more than words, for the end.
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

}  // namespace eatt::builtin
