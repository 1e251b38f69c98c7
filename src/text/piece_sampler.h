#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "text/pieces.h"

namespace eatt {

// Subword sampling for training (BPE-dropout): the same text, cut differently each time. It works
// on ids, so a stored data set can be sampled anew in every epoch without its text. Tables only:
// one sampler serves many threads.
//
// SentencePiece has such sampling too, but draws from a generator that cannot be seeded per
// sentence, so its results depend on which thread took which sentence; ours depend on `random`.
class PieceSampler {
 public:
  explicit PieceSampler(const Pieces& pieces);

  // `ids` is an encoding. Its pieces are taken apart into characters and merged again in the order
  // of the vocabulary, each merge left out with probability `dropout`: 0 gives the encoding back, 1
  // gives characters. Unknown pieces, markers and bytes stay as they are.
  std::vector<int32_t> sample(std::span<const int32_t> ids, double dropout, Random& random) const;

 private:
  struct Symbol;
  struct Merge;
  int32_t merged(int32_t left, int32_t right) const;
  std::vector<Symbol> take_apart(std::span<const int32_t> ids) const;

  const Pieces& pieces_;
  // The characters of piece i: characters_[starts_[i]] to characters_[starts_[i + 1]], itself if it
  // cannot be taken apart.
  std::vector<int32_t> characters_;
  std::vector<uint32_t> starts_;
  std::unordered_map<uint64_t, int32_t> merges_;  // left id << 32 | right id, to the id of both
};

}  // namespace eatt
