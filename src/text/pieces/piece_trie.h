#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace eatt {

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

  std::vector<Node> nodes_;  // The first is the root; there are 256 places after every base.
  uint32_t first_free_ = 1;
};

}  // namespace eatt
