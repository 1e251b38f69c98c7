#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "runtime/shortlist/shortlist.h"
#include "support/files.h"
#include "text/pieces/pieces.h"

namespace eatt::testing {

// Two pieces for every sentence, and `best` random ones for each source piece.
inline Shortlist random_shortlist(int source_vocab, int target_vocab, int best) {
  std::mt19937_64 random(9);
  ShortlistContents contents;
  contents.target_vocab = target_vocab;
  contents.source_sha256 = std::string(64, 'a');
  contents.target_sha256 = std::string(64, 'b');
  contents.always = {kEndPiece, kEndPiece + 1, kEndPiece + 2};
  for (int piece = 0; piece < source_vocab; ++piece) {
    std::set<int32_t> likely;
    for (int i = 0; i < best; ++i) {
      likely.insert(kEndPiece + 3 +
                    static_cast<int32_t>(random() % static_cast<uint64_t>(target_vocab - 7)));
    }
    contents.likely.emplace_back(likely.begin(), likely.end());
  }
  const TemporaryFolder folder;
  write_shortlist(folder / "list", contents);
  return Shortlist::open(folder / "list");
}

}  // namespace eatt::testing
