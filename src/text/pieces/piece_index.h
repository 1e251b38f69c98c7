#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace eatt {

// A fast hash, the same on every little-endian machine. Multiplies and folds eight bytes at a time,
// which suits short words and pieces.
inline uint64_t hash_text(std::string_view text) {
  constexpr uint64_t kFactor = 0x9fb21c651e98df25;
  uint64_t hash = text.size() * kFactor;
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t eight;
    std::memcpy(&eight, at, 8);
    hash = (hash ^ eight) * kFactor;
    hash ^= hash >> 32;
  }
  uint64_t rest = 0;
  std::memcpy(&rest, at, left);
  hash = (hash ^ rest) * kFactor;
  return hash ^ hash >> 29;
}

// Numbers texts in the order they are added and finds their numbers again. Holds views: the texts
// must outlive the table. A slot holds half of the hash, so that a search that fails seldom reads
// any text.
class PieceTable {
 public:
  // For at most `capacity` texts.
  explicit PieceTable(size_t capacity = 0) : slots_(std::bit_ceil(2 * capacity + 2)) {
    texts_.reserve(capacity);
  }

  // Gives `text` the next number; false if the table has it already.
  bool add(std::string_view text) {
    const uint64_t hash = hash_text(text);
    size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].id >= 0; at = (at + 1) & (slots_.size() - 1)) {
      if (holds(slots_[at], hash, text)) return false;
    }
    slots_[at] = {static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(texts_.size())};
    texts_.push_back(text);
    return true;
  }

  // The number of `text`; -1 if it is not in the table.
  int32_t find(std::string_view text) const {
    const uint64_t hash = hash_text(text);
    size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].id >= 0; at = (at + 1) & (slots_.size() - 1)) {
      if (holds(slots_[at], hash, text)) return slots_[at].id;
    }
    return -1;
  }

  size_t size() const { return texts_.size(); }
  std::string_view text(int32_t id) const { return texts_[static_cast<size_t>(id)]; }

 private:
  struct Slot {
    uint32_t hash = 0;  // The upper half; the lower half is where the search begins.
    int32_t id = -1;    // -1: free.
  };

  bool holds(const Slot& slot, uint64_t hash, std::string_view wanted) const {
    return slot.hash == hash >> 32 && texts_[static_cast<size_t>(slot.id)] == wanted;
  }

  std::vector<Slot> slots_;  // A power of two, at most half of them in use.
  std::vector<std::string_view> texts_;
};

// Finds all pieces that a text begins with, in one walk over its bytes. A double array: the child
// of a node for a byte is at the node's base plus the byte, if that node names it as its parent.
class PieceTrie {
 public:
  struct Key {
    std::string_view text;  // Not empty.
    int32_t value = 0;      // Not negative.
  };

  PieceTrie() = default;
  explicit PieceTrie(std::vector<Key> keys);  // All different.

  bool empty() const { return nodes_.empty(); }

  // Calls found(length, value) for each key that `text` begins with, the shortest first.
  template <typename Found>
  void for_each_prefix(std::string_view text, Found&& found) const {
    if (nodes_.empty()) return;
    uint32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const uint32_t child = nodes_[node].base + static_cast<unsigned char>(text[i]);
      if (nodes_[child].parent != node) return;
      node = child;
      if (nodes_[node].value >= 0) found(i + 1, nodes_[node].value);
    }
  }

  // The length of the longest key that `text` begins with; 0 if there is none.
  size_t longest_prefix(std::string_view text) const {
    size_t longest = 0;
    for_each_prefix(text, [&](size_t length, int32_t) { longest = length; });
    return longest;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Node {
    uint32_t base = 0;
    uint32_t parent = kNone;  // kNone: free, or the root.
    int32_t value = -1;       // Of the key that ends here; -1 if none does.
  };

  uint32_t find_base(std::string_view bytes);
  void take(uint32_t node, uint32_t parent);

  std::vector<Node> nodes_;    // The first is the root; there are 256 places after every base.
  uint32_t first_free_ = 256;  // Of the nodes that a child by any byte can reach.
};

}  // namespace eatt
