#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace eatt::energy::testing {

// Finds the best of some in order: a knockout, and for each next one the matches of the last winner
// again, from its first round to the final.
//
// `better(a, b)` is a match, which counts itself. A bye is no match when the knockout is first
// played; when it is played again every round has one, against `nobody` if there is no other.
template <class Item, class Better>
class Knockout {
 public:
  Knockout(const std::vector<Item>& items, Item nobody, Better better)
      : nobody_(std::move(nobody)), better_(std::move(better)) {
    while (leaves_ < items.size()) leaves_ *= 2;
    tree_.resize(2 * leaves_);
    std::copy(items.begin(), items.end(), tree_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (size_t node = leaves_ - 1; node > 0; --node) {
      const auto &left = tree_[2 * node], &right = tree_[2 * node + 1];
      tree_[node] = left && right ? winner(*left, *right) : left;
    }
    left_ = items.size();
  }

  // The best first, `wanted` of them or all.
  std::vector<Item> best(size_t wanted) {
    std::vector<Item> found;
    while (left_ > 0 && found.size() < wanted) {
      if (!found.empty()) play_again();
      found.push_back(*tree_[1]);
      --left_;
    }
    return found;
  }

 private:
  Item winner(const Item& a, const Item& b) const { return better_(b, a) ? b : a; }

  // Without the last winner.
  void play_again() {
    size_t node = 1;
    while (node < leaves_) node = 2 * node + (came_from(node, 2 * node) ? 0 : 1);
    tree_[node] = nobody_;
    for (node /= 2; node > 0; node /= 2) {
      tree_[node] =
          winner(tree_[2 * node].value_or(nobody_), tree_[2 * node + 1].value_or(nobody_));
    }
  }
  bool came_from(size_t node, size_t child) const {
    return tree_[child] && *tree_[child] == *tree_[node];
  }

  Item nobody_;
  Better better_;
  size_t leaves_ = 1;                      // A power of two.
  size_t left_ = 0;                        // Of the items.
  std::vector<std::optional<Item>> tree_;  // Node n has 2n and 2n + 1; 1 is the final.
};

}  // namespace eatt::energy::testing
