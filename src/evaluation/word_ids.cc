#include "evaluation/word_ids.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace eatt::evaluation {
namespace {

constexpr size_t kShort = 8;  // Words of up to this many bytes are their own digest.

uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <typename T>
uint64_t load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// 1 to 8 bytes; different words of one length give different numbers.
uint64_t pack(std::string_view word) {
  const size_t size = word.size();
  const char* bytes = word.data();
  if (size >= 4) return load<uint32_t>(bytes) | load<uint32_t>(bytes + size - 4) << 32;
  if (size >= 2) return load<uint16_t>(bytes) | load<uint16_t>(bytes + size - 2) << 16;
  return size == 0 ? 0 : static_cast<unsigned char>(bytes[0]);
}

uint64_t digest_of(std::string_view word) {
  if (word.size() <= kShort) return pack(word);
  uint64_t digest = word.size();
  const std::string_view tail = word.substr(word.size() - 8);
  for (; word.size() > 8; word.remove_prefix(8)) digest = mix(digest, load<uint64_t>(word.data()));
  return mix(digest, load<uint64_t>(tail.data()));
}

}  // namespace

void WordIds::clear() {
  count_ = 0;
  if (++generation_ != 0) return;
  std::fill(slots_.begin(), slots_.end(), Slot{});  // The counter has gone round.
  generation_ = 1;
}

uint32_t WordIds::id(std::string_view word) {
  const uint64_t digest = digest_of(word);
  const size_t mask = slots_.size() - 1;
  for (size_t at = mix(digest, word.size()) & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.generation != generation_) {
      slot = {digest, word, count_, generation_};
      if (++count_ * 2 > slots_.size()) grow();
      return count_ - 1;
    }
    if (slot.digest == digest && slot.word.size() == word.size() &&
        (word.size() <= kShort || slot.word == word)) {
      return slot.id;
    }
  }
}

void WordIds::ids(const std::vector<std::string_view>& words, std::vector<uint32_t>& out) {
  out.clear();
  for (const std::string_view word : words) out.push_back(id(word));
}

void WordIds::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.generation != generation_) continue;
    size_t at = mix(slot.digest, slot.word.size()) & mask;
    while (larger[at].generation == generation_) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace eatt::evaluation
