#include "evaluation/ngram_matcher.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace eatt::evaluation {
namespace {

uint64_t make_key(uint32_t prefix, uint32_t symbol) {
  return static_cast<uint64_t>(prefix) << 32 | symbol;
}

// Removes the positions where no complete n-gram begins.
template <typename Positions>
void drop_past_end(Positions& positions, size_t size, uint32_t order) {
  while (!positions.empty() && positions.back().begin + order > size) positions.pop_back();
}

}  // namespace

void NgramMatcher::match(Symbols hypothesis, std::span<const Symbols> references,
                         std::span<uint32_t> matches) {
  std::fill(matches.begin(), matches.end(), 0);
  start(hypothesis, references);
  for (uint32_t order = 1; order <= matches.size() && !hypothesis_.empty(); ++order) {
    start_order();
    if (references.size() == 1) {
      count_only_reference(references[0], order);
    } else {
      for (uint32_t r = 0; r < references.size(); ++r) count_reference(r, references[r], order);
    }
    matches[order - 1] = match_hypothesis(hypothesis, order);
    for (size_t r = 0; r < references.size(); ++r) drop_unmatched(references_[r]);
  }
}

void NgramMatcher::start(Symbols hypothesis, std::span<const Symbols> references) {
  const auto all_positions = [](size_t size, std::vector<Position>& positions) {
    positions.resize(size);
    for (uint32_t i = 0; i < size; ++i) positions[i] = {i, 0};
  };
  all_positions(hypothesis.size(), hypothesis_);
  if (references_.size() < references.size()) references_.resize(references.size());
  size_t total = 0;
  for (size_t r = 0; r < references.size(); ++r) {
    all_positions(references[r].size(), references_[r]);
    total += references[r].size();
  }
  expects(total < uint32_t{1} << 28, "sequences whose positions can be counted");
  // At most a quarter full, so the first probe nearly always succeeds, and not larger, so that the
  // slots stay in the L1 cache.
  const size_t wanted = std::bit_ceil(std::max<size_t>(64, total * 4));
  if (slots_.size() < wanted) {
    slots_.resize(wanted);
    matched_.resize(wanted);
    counts_.resize(wanted);
  }
  mask_ = static_cast<uint32_t>(wanted - 1);
  shift_ = static_cast<uint32_t>(64 - std::countr_zero(wanted));
}

void NgramMatcher::start_order() {
  if (++generation_ != 0) return;
  std::fill(slots_.begin(), slots_.end(), Slot{});  // The counter has gone round.
  generation_ = 1;
}

// What the inner loops need, in registers.
struct NgramMatcher::Table {
  Slot* slots;
  uint32_t* matched;
  uint32_t generation, mask, shift;

  // The slot of an n-gram, or the free one where it belongs.
  uint32_t find(uint64_t key) const {
    auto at = static_cast<uint32_t>((key ^ key >> 29) * 0x9e3779b97f4a7c15 >> shift);
    while (is_taken(slots[at], key)) at = (at + 1) & mask;
    return at;
  }

  // Whether another n-gram uses the slot. One comparison for both conditions: the result is nearly
  // always no, but which condition fails cannot be predicted.
  bool is_taken(const Slot& slot, uint64_t key) const {
    const uint64_t stale = slot.generation ^ generation;
    return (stale << 1 | (slot.key != key ? 1 : 0)) == 1;
  }

  // All bits if the slot is in use.
  uint32_t in_use(const Slot& slot) const {
    return slot.generation == generation ? ~uint32_t{0} : 0;
  }
};

NgramMatcher::Table NgramMatcher::table() {
  return {slots_.data(), matched_.data(), generation_, mask_, shift_};
}

void NgramMatcher::count_only_reference(Symbols symbols, uint32_t order) {
  drop_past_end(references_[0], symbols.size(), order);
  if (references_[0].empty()) return;
  const Table table = this->table();
  const uint32_t* last_symbols = symbols.data() + order - 1;
  for (Position& position : references_[0]) {
    const uint64_t key = make_key(position.prefix, last_symbols[position.begin]);
    const uint32_t at = table.find(key);
    Slot& slot = table.slots[at];
    slot = {key, table.generation, (slot.left & table.in_use(slot)) + 1};
    table.matched[at] = 0;
    position.prefix = at;
  }
}

void NgramMatcher::count_reference(uint32_t reference, Symbols symbols, uint32_t order) {
  drop_past_end(references_[reference], symbols.size(), order);
  if (references_[reference].empty()) return;
  const Table table = this->table();
  const uint32_t* last_symbols = symbols.data() + order - 1;
  for (Position& position : references_[reference]) {
    const uint64_t key = make_key(position.prefix, last_symbols[position.begin]);
    const uint32_t at = table.find(key);
    Slot& slot = table.slots[at];
    const bool known = slot.generation == table.generation;
    const bool counting = known && counts_[at].reference == reference;
    counts_[at] = {reference, counting ? counts_[at].times + 1 : 1};
    slot = {key, table.generation, std::max(known ? slot.left : 0, counts_[at].times)};
    table.matched[at] = 0;
    position.prefix = at;
  }
}

uint32_t NgramMatcher::match_hypothesis(Symbols symbols, uint32_t order) {
  drop_past_end(hypothesis_, symbols.size(), order);
  if (hypothesis_.empty()) return 0;
  const Table table = this->table();
  const uint32_t* last_symbols = symbols.data() + order - 1;
  Position* kept = hypothesis_.data();
  uint32_t matches = 0;
  for (const Position position : hypothesis_) {
    const uint64_t key = make_key(position.prefix, last_symbols[position.begin]);
    const uint32_t at = table.find(key);
    Slot& slot = table.slots[at];
    const uint32_t known = table.in_use(slot) & 1;
    const uint32_t used = known & (slot.left > 0 ? 1 : 0);
    slot.left -= used;
    matches += used;
    table.matched[at] = 1;
    *kept = {position.begin, at};
    kept += known;
  }
  hypothesis_.resize(static_cast<size_t>(kept - hypothesis_.data()));
  return matches;
}

void NgramMatcher::drop_unmatched(std::vector<Position>& positions) const {
  Position* kept = positions.data();
  for (const Position position : positions) {
    *kept = position;
    kept += matched_[position.prefix];
  }
  positions.resize(static_cast<size_t>(kept - positions.data()));
}

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
