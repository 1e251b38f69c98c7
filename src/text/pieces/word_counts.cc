#include <algorithm>
#include <unordered_set>

#include "base/text/utf8.h"
#include "text/pieces/normalizer.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

// The ASCII characters that nmt_nfkc turns into a space.
constexpr std::string_view kSpaces = " \t\v\f\r";

// A word's share of the table: its bytes, a node of the map, a pointer in the table itself.
size_t memory_of(std::string_view word) { return word.size() + 80; }

uint64_t characters_of(std::string_view word) {
  return static_cast<uint64_t>(
      std::ranges::count_if(word, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

}  // namespace

void WordCounts::add(std::string_view line) {
  ++lines_;
  for (;;) {
    const size_t begin = line.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
    line.remove_prefix(word.size());
    const auto found = counts_.find(word);
    if (found != counts_.end()) {
      ++found->second;
      continue;
    }
    counts_.emplace(word, 1);
    bytes_ += memory_of(word);
    if (bytes_ > max_bytes_) drop_rarest();
  }
}

std::vector<WordCounts::Word> WordCounts::sorted() const {
  struct Key {
    Word word;
    uint64_t hash;
  };
  std::vector<Key> keys;
  keys.reserve(counts_.size());
  for (const auto& [text, count] : counts_) keys.push_back({{text, count}, hash_text(text)});
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    if (a.word.count != b.word.count) return a.word.count > b.word.count;
    return a.hash != b.hash ? a.hash < b.hash : a.word.text < b.word.text;
  });
  std::vector<Word> words;
  words.reserve(keys.size());
  for (const Key& key : keys) words.push_back(key.word);
  return words;
}

void WordCounts::drop_rarest() {
  const std::vector<Word> words = sorted();
  for (size_t i = words.size(); i > 0 && bytes_ > max_bytes_ / 2; --i) {
    const std::string_view text = words[i - 1].text;
    bytes_ -= memory_of(text);
    counts_.erase(counts_.find(text));
  }
}

std::vector<WordCounts::Word> WordCounts::most_frequent(uint64_t max_characters,
                                                        bool all_characters) const {
  std::vector<Word> words;
  std::unordered_set<char32_t> seen;
  uint64_t characters = 0;
  for (const Word& word : sorted()) {
    const uint64_t size = 1 + characters_of(word.text);
    bool wanted = characters + size <= max_characters;
    if (wanted || all_characters) {
      for (size_t at = 0; at < word.text.size(); at += utf8_length(word.text[at])) {
        if (seen.insert(utf8_front(word.text.substr(at))).second) wanted |= all_characters;
      }
    }
    if (!wanted) continue;
    characters += size;
    words.push_back(word);
  }
  return words;
}

TrainingWords::TrainingWords(const std::vector<WordCounts::Word>& words, std::string_view rules) {
  const PieceTrie nothing_verbatim;
  PieceModel::Normalizer settings;
  settings.rules = rules;
  const Normalizer normalizer(settings, false, nothing_verbatim);
  std::string normalized;
  for (const auto& word : words) {
    normalized.clear();
    normalizer.append_rules_applied(word.text, normalized);
    add(normalized, word.count);
  }
}

// Normalisation may produce spaces, and so several words, or leave nothing.
void TrainingWords::add(std::string_view text, uint64_t count) {
  const auto append = [&](char32_t character) {
    characters_.push_back(character);
    counts_[character] += count;
  };
  size_t begin = characters_.size();
  const auto end_word = [&] {
    const size_t size = characters_.size() - begin;
    if (size > 0) words_.emplace_back(static_cast<uint32_t>(size), count);
    begin = characters_.size();
  };
  for (size_t at = 0; at < text.size(); at += utf8_length(text[at])) {
    const char32_t character = utf8_front(text.substr(at));
    if (character == U' ' || character == kSpaceMarkCharacter) {
      end_word();
      continue;
    }
    if (characters_.size() == begin) append(kSpaceMarkCharacter);
    append(character);
  }
  end_word();
}

std::vector<char32_t> TrainingWords::alphabet(double coverage) const {
  std::vector<std::pair<char32_t, uint64_t>> sorted(counts_.begin(), counts_.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  uint64_t all = 0, covered = 0;
  for (const auto& [character, count] : sorted) all += count;
  std::vector<char32_t> alphabet;
  for (const auto& [character, count] : sorted) {
    if (static_cast<double>(covered) >= coverage * static_cast<double>(all)) break;
    covered += count;
    alphabet.push_back(character);
  }
  return alphabet;
}

void TrainingWords::give_to(BpeTrainer& trainer, const std::vector<char32_t>& alphabet) const {
  std::unordered_map<char32_t, int32_t> ids;
  for (const char32_t character : alphabet) {
    ids.emplace(character, static_cast<int32_t>(ids.size()));
  }
  std::vector<int32_t> word;
  size_t at = 0;
  for (const auto& [size, count] : words_) {
    word.clear();
    for (const size_t end = at + size; at < end; ++at) {
      const auto found = ids.find(characters_[at]);
      word.push_back(found == ids.end() ? BpeTrainer::kUnknown : found->second);
    }
    trainer.add_word(word, count);
  }
}

}  // namespace eatt
