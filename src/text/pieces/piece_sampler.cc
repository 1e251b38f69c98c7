#include "text/pieces/piece_sampler.h"

namespace eatt {

std::vector<int32_t> sample_pieces(const PieceMerger& merger, std::span<const int32_t> ids,
                                   double dropout, Random& random) {
  std::vector<int32_t> sampled;
  for (const int32_t id : ids) {
    const auto characters = merger.characters(id);
    sampled.insert(sampled.end(), characters.begin(), characters.end());
  }
  PieceMerger::Scratch scratch;
  merger.merge(sampled, scratch, dropout, &random);
  return sampled;
}

}  // namespace eatt
