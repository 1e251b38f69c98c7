#include "text/pieces/piece_encoder.h"

#include <algorithm>
#include <cstring>

#include "base/text/utf8.h"
#include "text/pieces/word_hash.h"

namespace eatt {
namespace {

constexpr size_t kBuckets = 1 << 15;  // 4 MB.

}  // namespace

EncodingTables::EncodingTables(const Pieces& pieces)
    : pieces_(pieces), merger_(pieces), rules_(pieces.normalization_rules()), low_(0x10000, -1) {
  for (int32_t id = 0; id < pieces.size(); ++id) {
    const std::string_view piece = pieces.piece(id);
    if (!pieces.is_normal(id) || piece.size() != utf8_length(piece[0]) || piece == kSpaceMark) {
      continue;
    }
    const char32_t character = utf8_front(piece);
    if (character < low_.size()) {
      low_[character] = id;
    } else {
      high_[character] = id;
    }
  }
}

PieceEncoder::PieceEncoder(const EncodingTables& tables)
    : tables_(tables), space_mark_(tables.pieces().id(kSpaceMark)) {
  if (tables.pieces().encodes_word_by_word()) buckets_.resize(kBuckets);
}

void PieceEncoder::append(std::string_view text, std::vector<int32_t>& ids) {
  if (buckets_.empty()) return tables_.pieces().append_encoded(text, ids);
  const size_t before = ids.size();
  const std::string_view whole = text;
  while (!text.empty()) {
    const auto* space = static_cast<const char*>(std::memchr(text.data(), ' ', text.size()));
    const size_t size = space == nullptr ? text.size() : static_cast<size_t>(space - text.data());
    if (size > 0 && !append_word(text.substr(0, size), ids)) {
      ids.resize(before);
      return tables_.pieces().append_encoded(whole, ids);
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
  if (!merge_word(word)) {
    // A space mark in the text itself is an extra space to the library, which it drops at the end
    // of a text but keeps before the next word.
    if (word.find(kSpaceMark) != std::string_view::npos) return false;
    word_ids_ = tables_.pieces().encode(word);
  }
  ids.insert(ids.end(), word_ids_.begin(), word_ids_.end());
  if (slot != nullptr && word_ids_.size() <= slot->ids.size()) {
    slot->word_size = static_cast<uint8_t>(word.size());
    slot->id_count = static_cast<uint8_t>(word_ids_.size());
    std::copy(word.begin(), word.end(), slot->word.begin());
    std::copy(word_ids_.begin(), word_ids_.end(), slot->ids.begin());
  }
  return true;
}

// Encodes a word of known characters into word_ids_; false if it has others, or none.
bool PieceEncoder::merge_word(std::string_view word) {
  if (!is_valid_utf8(word)) return false;
  normalized_.clear();
  tables_.rules().apply(word, normalized_);
  if (normalized_.empty()) return false;
  word_ids_.assign(1, space_mark_);
  const std::string_view text = normalized_;
  for (size_t at = 0; at < text.size(); at += utf8_length(text[at])) {
    const int32_t id = tables_.character(utf8_front(text.substr(at)));
    if (id < 0) return false;  // Unknown, a space or a space mark.
    word_ids_.push_back(id);
  }
  tables_.merger().merge(word_ids_, scratch_);
  return true;
}

}  // namespace eatt
