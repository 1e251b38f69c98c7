#include "text/pieces/piece_encoder.h"

#include <algorithm>
#include <cstring>

#include "text/pieces/piece_index.h"

namespace eatt {
namespace {

constexpr size_t kBuckets = 1 << 15;  // 4 MB.
// Bytes to encode before it pays to prepare for a corpus, which takes 12 ms for 32,000 pieces.
constexpr size_t kCorpusBytes = 1 << 16;

}  // namespace

PieceEncoder::PieceEncoder(const Pieces& pieces) : pieces_(pieces) {
  if (pieces.encodes_word_by_word()) buckets_.resize(kBuckets);
}

void PieceEncoder::append(std::string_view text, std::vector<int32_t>& ids) {
  // A space mark in the text itself is an extra space, dropped at the end of a text but kept before
  // the next word: then the encoding of a word depends on its neighbours.
  if (buckets_.empty() || text.find(kSpaceMark) != std::string_view::npos) {
    return append_encoded(text, ids);
  }
  split(text);
  for (const Word& word : words_) append_word(word, ids);
}

// Finds the words of a text. All buckets are asked for before the first is read, since most of them
// come from memory that is slow to answer.
void PieceEncoder::split(std::string_view text) {
  words_.clear();
  while (!text.empty()) {
    const auto* space = static_cast<const char*>(std::memchr(text.data(), ' ', text.size()));
    const size_t size = space == nullptr ? text.size() : static_cast<size_t>(space - text.data());
    if (size > 0) {
      const std::string_view word = text.substr(0, size);
      const bool fits = size <= sizeof(Slot::word);
      words_.push_back({word, fits ? &buckets_[hash_text(word) % kBuckets] : nullptr});
      if (fits) __builtin_prefetch(words_.back().bucket);
    }
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

void PieceEncoder::append_word(const Word& word, std::vector<int32_t>& ids) {
  const std::string_view text = word.text;
  if (word.bucket == nullptr) return append_new_word(text, nullptr, ids);
  const auto holds = [text](const Slot& slot) {
    return slot.word_size == text.size() &&
           std::memcmp(slot.word.data(), text.data(), text.size()) == 0;
  };
  auto& [first, second] = *word.bucket;
  if (!holds(first)) {
    if (!holds(second)) return append_new_word(text, &second, ids);
    std::swap(first, second);
  }
  ids.insert(ids.end(), first.ids.begin(), first.ids.begin() + first.id_count);
}

void PieceEncoder::append_new_word(std::string_view word, Slot* slot, std::vector<int32_t>& ids) {
  const size_t before = ids.size();
  append_encoded(word, ids);
  const size_t count = ids.size() - before;
  if (slot == nullptr || count > slot->ids.size()) return;
  slot->word_size = static_cast<uint8_t>(word.size());
  slot->id_count = static_cast<uint8_t>(count);
  std::copy(word.begin(), word.end(), slot->word.begin());
  std::copy(ids.begin() + static_cast<ptrdiff_t>(before), ids.end(), slot->ids.begin());
}

void PieceEncoder::append_encoded(std::string_view text, std::vector<int32_t>& ids) {
  if (encoded_bytes_ < kCorpusBytes) {
    encoded_bytes_ += text.size();
    if (encoded_bytes_ >= kCorpusBytes) pieces_.prepare_for_corpus();
  }
  pieces_.append_encoded(text, scratch_, ids);
}

}  // namespace eatt
