#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/pieces/piece_model.h"

namespace eatt {

// Pieces as text, before denormalisation: control pieces vanish, space marks become spaces (but for
// the one in front), byte pieces become the characters they spell, or U+FFFD.
std::string join_pieces(const PieceModel& model, const std::vector<std::string_view>& pieces);

}  // namespace eatt
