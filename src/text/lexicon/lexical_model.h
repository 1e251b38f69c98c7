#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/files/byte_source.h"
#include "text/pieces/pieces.h"

namespace eatt {

// p(target piece | source piece), of the likely ones.
class LexicalModel {
 public:
  struct Entry {
    int32_t target = 0;
    float probability = 0;
    bool operator==(const Entry&) const = default;
  };

  // A row for each source piece, in any order.
  explicit LexicalModel(std::vector<std::vector<Entry>> rows);

  size_t source_vocab() const { return rows_.size(); }
  // The most likely first; equally likely ones by their ids.
  std::span<const Entry> likely(int32_t source) const { return rows_[static_cast<size_t>(source)]; }
  // 0 for what is not listed.
  float probability(int32_t source, int32_t target) const;

 private:
  std::vector<std::vector<Entry>> rows_;
};

// Reads a lexicon as Marian's tools write it (lex.s2t): lines of `target source probability`, with
// pieces as text. Lines with a piece that is not in the vocabulary (or NULL) are passed over with a
// warning. Throws an Error with the line's number for other lines, or if nothing is left.
LexicalModel read_lexicon(const TextFile& file, const Pieces& source, const Pieces& target);

}  // namespace eatt
