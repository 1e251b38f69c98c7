#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace eatt::evaluation {

// A sequence of words or characters, each a number.
using Symbols = std::span<const uint32_t>;

// Counts the n-grams that a hypothesis shares with its references, exactly: different n-grams are
// never confused.
//
// An n-gram is named by (name of its first n-1 symbols, last symbol), so every order needs one
// look-up of a 64-bit key per position, whatever n is; the slot where it is found is its name for
// the order above. Positions whose n-gram the other side does not have are dropped, because
// their longer n-grams cannot match either. The inner loops avoid branches where they can: whether
// an n-gram is found is hard to predict, and branches on it took twice as long as the rest.
class NgramMatcher {
 public:
  // matches[n - 1] = sum over the different n-grams of
  //   min(times in the hypothesis, largest number of times in one of the references)
  // for n = 1 … matches.size().
  void match(Symbols hypothesis, std::span<const Symbols> references, std::span<uint32_t> matches);

 private:
  struct Position {
    uint32_t begin;   // Of the n-gram, in its sequence.
    uint32_t prefix;  // The name of its first n-1 symbols.
  };
  struct Slot {
    uint64_t key = 0;
    uint32_t generation = 0;  // Slots of an older generation are free.
    uint32_t left = 0;  // Largest count in a reference, minus what the hypothesis has used up.
  };
  struct Count {
    uint32_t reference;  // The reference counted last …
    uint32_t times;      // … and how often it has the n-gram.
  };

  struct Table;

  void start(Symbols hypothesis, std::span<const Symbols> references);
  void start_order();
  Table table();
  void count_only_reference(Symbols symbols, uint32_t order);
  void count_reference(uint32_t reference, Symbols symbols, uint32_t order);
  uint32_t match_hypothesis(Symbols symbols, uint32_t order);
  void drop_unmatched(std::vector<Position>& positions) const;

  std::vector<Slot> slots_;
  std::vector<uint32_t> matched_;  // Per slot, 0 or 1. Not bytes: those may alias anything.
  std::vector<Count> counts_;      // Per slot; used if there are several references.
  std::vector<Position> hypothesis_;
  std::vector<std::vector<Position>> references_;
  uint32_t generation_ = 0;
  uint32_t shift_ = 0;  // 64 - log2(slots in use): the upper bits of a product are the best mixed.
  uint32_t mask_ = 0;   // Slots in use - 1.
};

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
