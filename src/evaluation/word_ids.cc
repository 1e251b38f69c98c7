#include "evaluation/word_ids.h"

#include <cstring>
#include <utility>

namespace eatt::evaluation {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t load(const char* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

uint32_t hash_of(std::string_view word) {
  uint64_t hash = word.size();
  while (word.size() > 8) {
    hash = mix(hash, load(word.data(), 8));
    word.remove_prefix(8);
  }
  return static_cast<uint32_t>(mix(hash, load(word.data(), word.size())));
}

}  // namespace

void WordIds::clear() {
  ++generation_;
  count_ = 0;
}

uint32_t WordIds::id(std::string_view word) {
  const uint32_t hash = hash_of(word);
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.generation != generation_) {
      slot = {word, hash, count_, generation_};
      if (++count_ * 2 > slots_.size()) grow();
      return count_ - 1;
    }
    if (slot.hash == hash && slot.word == word) return slot.id;
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
    size_t at = slot.hash & mask;
    while (larger[at].generation == generation_) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace eatt::evaluation
