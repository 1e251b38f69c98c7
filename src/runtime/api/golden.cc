#include "runtime/api/golden.h"

#include "runtime/layers/transformer_steps.h"
#include "runtime/search/search.h"

namespace eatt {

GoldenPair translate_golden(const Model& model, const Pieces& source_pieces,
                            const Pieces& target_pieces, const std::string& source) {
  TransformerSteps steps(model);
  const SearchTask task{.source = source_pieces.encode(source)};
  const SearchHypothesis best = search(steps, std::span(&task, 1), {}).front().front();
  return {
      .source = source, .target = target_pieces.decode(best.pieces), .score = best.log_probability};
}

}  // namespace eatt
