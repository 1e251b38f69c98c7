#include "builtin/seen_texts.h"

namespace eatt::builtin {

uint64_t SeenTexts::hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash == kEmpty ? 1 : hash;
}

size_t SeenTexts::slot_of(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = (hash ^ (hash >> 32)) & mask;
  while (slots_[slot] != kEmpty && slots_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

bool SeenTexts::contains(std::string_view text) const {
  return slots_[slot_of(hash_of(text))] != kEmpty;
}

void SeenTexts::insert(std::string_view text) {
  uint64_t& slot = slots_[slot_of(hash_of(text))];
  if (slot != kEmpty) return;
  slot = hash_of(text);
  ++size_;
  if (2 * size_ > slots_.size()) grow();
}

void SeenTexts::grow() {
  std::vector<uint64_t> old(2 * slots_.size(), kEmpty);
  old.swap(slots_);
  for (const uint64_t hash : old) {
    if (hash != kEmpty) slots_[slot_of(hash)] = hash;
  }
}

}  // namespace eatt::builtin
