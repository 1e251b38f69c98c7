#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace eatt::evaluation {

// Numbers for the words of a few lines: equal words get equal numbers, 0, 1, 2, ... in order of
// appearance. Made to be reused for one pair of lines after another: clear() is free, and the table
// stays in the L1 cache.
class WordIds {
 public:
  // Forgets all words.
  void clear();

  // `word` must stay where it is until clear().
  uint32_t id(std::string_view word);

  // The numbers of `words`, in order.
  void ids(const std::vector<std::string_view>& words, std::vector<uint32_t>& out);

 private:
  // The bytes of a short word, filled up with zeros, else a hash of a long one.
  struct Slot {
    uint64_t digest = 0;
    std::string_view word;
    uint32_t id = 0;
    uint32_t generation = 0;  // Slots of an older generation are free.
  };

  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(256);  // A power of two, at most half full.
  uint32_t generation_ = 1;
  uint32_t count_ = 0;
};

}  // namespace eatt::evaluation
