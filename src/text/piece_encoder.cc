#include "text/piece_encoder.h"

#include <algorithm>
#include <cstring>

#include "text/word_hash.h"

namespace eatt {
namespace {

constexpr size_t kBuckets = 1 << 15;  // 4 MB; with 1 << 14 German text was 8 % slower.

}  // namespace

PieceEncoder::PieceEncoder(const Pieces& pieces) : pieces_(pieces) {
  if (pieces.encodes_word_by_word()) buckets_.resize(kBuckets);
}

void PieceEncoder::append(std::string_view text, std::vector<int32_t>& ids) {
  if (buckets_.empty()) return pieces_.append_encoded(text, ids);
  const size_t before = ids.size();
  const std::string_view whole = text;
  while (!text.empty()) {
    const auto* space = static_cast<const char*>(std::memchr(text.data(), ' ', text.size()));
    const size_t size = space == nullptr ? text.size() : static_cast<size_t>(space - text.data());
    if (size > 0 && !append_word(text.substr(0, size), ids)) {
      ids.resize(before);
      return pieces_.append_encoded(whole, ids);
    }
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

// False if the word's encoding depends on its neighbours.
bool PieceEncoder::append_word(std::string_view word, std::vector<int32_t>& ids) {
  if (word.size() > sizeof(Slot::word)) return append_new_word(word, nullptr, ids);
  Bucket& bucket = buckets_[hash_word(word) % kBuckets];
  const auto holds = [word](const Slot& slot) {
    return slot.word_size == word.size() &&
           std::memcmp(slot.word.data(), word.data(), word.size()) == 0;
  };
  if (!holds(bucket.first)) {
    if (!holds(bucket.second)) return append_new_word(word, &bucket.second, ids);
    std::swap(bucket.first, bucket.second);
  }
  const Slot& slot = bucket.first;
  ids.insert(ids.end(), slot.ids.begin(), slot.ids.begin() + slot.id_count);
  return true;
}

bool PieceEncoder::append_new_word(std::string_view word, Slot* slot, std::vector<int32_t>& ids) {
  // A space mark in the text itself is an extra space to the library, which it drops at the end of
  // a text but keeps before the next word.
  if (word.find(kSpaceMark) != std::string_view::npos) return false;
  const size_t before = ids.size();
  pieces_.append_encoded(word, ids);
  const size_t count = ids.size() - before;
  if (slot != nullptr && count <= slot->ids.size()) {
    slot->word_size = static_cast<uint8_t>(word.size());
    slot->id_count = static_cast<uint8_t>(count);
    std::copy(word.begin(), word.end(), slot->word.begin());
    std::copy(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end(), slot->ids.begin());
  }
  return true;
}

}  // namespace eatt
