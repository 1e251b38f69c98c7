#include "text/pieces/piece_index.h"

#include <algorithm>
#include <string>

namespace eatt {
namespace {

constexpr uint32_t kBytes = 256;
// Bases tried for a node before its children go to the end of the array, which bounds the time.
constexpr int kMaxTries = 512;
constexpr uint32_t kWindow = 2048;

// A node, and the keys below it: keys [begin, end), which agree in their first `depth` bytes.
struct Branch {
  uint32_t node;
  size_t begin;
  size_t end;
  size_t depth;
};

}  // namespace

PieceTrie::PieceTrie(std::vector<Key> keys) {
  if (keys.empty()) return;
  std::ranges::sort(keys, {}, &Key::text);
  nodes_.resize(2 * kBytes);
  std::vector<Branch> open = {{0, 0, keys.size(), 0}};
  std::string bytes;
  std::vector<size_t> begins;
  while (!open.empty()) {
    Branch branch = open.back();
    open.pop_back();
    if (keys[branch.begin].text.size() == branch.depth) {  // The shortest comes first.
      nodes_[branch.node].value = keys[branch.begin++].value;
    }
    if (branch.begin == branch.end) continue;
    bytes.clear();
    begins.clear();
    for (size_t i = branch.begin; i < branch.end; ++i) {
      const char byte = keys[i].text[branch.depth];
      if (!bytes.empty() && bytes.back() == byte) continue;
      bytes += byte;
      begins.push_back(i);
    }
    begins.push_back(branch.end);
    const uint32_t base = find_base(bytes);
    nodes_[branch.node].base = base;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const uint32_t child = base + static_cast<unsigned char>(bytes[i]);
      take(child, branch.node);
      open.push_back({child, begins[i], begins[i + 1], branch.depth + 1});
    }
  }
}

// A base with free places for children by these bytes.
uint32_t PieceTrie::find_base(std::string_view bytes) {
  const auto lowest = static_cast<uint32_t>(static_cast<unsigned char>(bytes.front()));
  const auto is_free = [&](uint32_t node) { return node > 0 && nodes_[node].parent == kNone; };
  // One child fits into any hole. More children seldom fit where the array is nearly full, so they
  // look near its end: that keeps both the array and the search short.
  const auto size = static_cast<uint32_t>(nodes_.size());
  const uint32_t near_end = size > kWindow ? size - kWindow : 0;
  const uint32_t start = bytes.size() > 1 ? std::max(first_free_, near_end) : first_free_;
  uint32_t base = start > lowest ? start - lowest : 0;
  for (int i = 0; i < kMaxTries && base + kBytes <= nodes_.size(); ++i, ++base) {
    if (std::ranges::all_of(bytes, [&](char byte) {
          return is_free(base + static_cast<uint32_t>(static_cast<unsigned char>(byte)));
        })) {
      return base;
    }
  }
  nodes_.resize(nodes_.size() + kBytes);
  return size;
}

void PieceTrie::take(uint32_t node, uint32_t parent) {
  nodes_[node].parent = parent;
  while (first_free_ < nodes_.size() && nodes_[first_free_].parent != kNone) ++first_free_;
}

}  // namespace eatt
