#include "runtime/search/forced_pieces.h"

#include <fmt/format.h>

#include "base/error.h"
#include "text/pieces/pieces.h"

namespace eatt {

size_t most_forced_pieces(const StepModel& model) {
  expects(model.max_target_pieces() > 0, "a model computes one target piece at least");
  return model.max_target_pieces() - 1;
}

void check_forced_pieces(std::span<const int32_t> pieces, const StepModel& model,
                         std::string_view what) {
  if (pieces.size() > most_forced_pieces(model)) {
    throw Error(
        fmt::format("a {} has {} pieces, but the model computes at most {} and the end "
                    "marker; shorten it",
                    what, pieces.size(), most_forced_pieces(model)));
  }
  for (const int32_t piece : pieces) {
    const bool marker = piece == kPadPiece || piece == kStartPiece || piece == kEndPiece;
    if (!marker && piece >= 0 && static_cast<size_t>(piece) < model.vocab()) continue;
    throw Error(fmt::format("a {} holds piece {}; expected pieces of text, below {}, no markers",
                            what, piece, model.vocab()));
  }
}

}  // namespace eatt
