#include "text/pieces/training_words.h"

#include <algorithm>

#include "base/text/utf8.h"
#include "text/pieces/nmt_nfkc.h"
#include "text/pieces/normalizer.h"

namespace eatt {

TrainingWords::TrainingWords(const std::vector<WordCounts::Word>& words) {
  const PieceTrie nothing_verbatim;
  PieceModel::Normalizer settings;
  settings.rules = nmt_nfkc_rules();
  const Normalizer normalizer(settings, false, nothing_verbatim);
  std::string normalized;
  for (const auto& word : words) {
    normalized.clear();
    normalizer.append_rules_applied(word.text, normalized);
    add(normalized, word.count);
  }
}

// Normalisation may bring forth spaces, and with them several words, or leave nothing.
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
