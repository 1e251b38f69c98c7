#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/pieces/piece_model.h"

namespace eatt {

// Takes the pieces of a text in order and appends their ids. What is unknown becomes its bytes if
// the model has pieces for them; else unknown pieces in a row become one.
class SegmentWriter {
 public:
  // `bytes` are the ids of the 256 byte pieces, or empty.
  SegmentWriter(std::span<const int32_t> bytes, std::vector<int32_t>& ids)
      : bytes_(bytes), ids_(ids) {}

  void add(std::string_view text, int32_t id) {
    const bool is_unknown = id == kUnknownPiece;
    if (is_unknown && !bytes_.empty()) {
      for (const char byte : text) ids_.push_back(bytes_[static_cast<unsigned char>(byte)]);
    } else if (!is_unknown || !after_unknown_) {
      ids_.push_back(id);
    }
    after_unknown_ = is_unknown;
  }

 private:
  std::span<const int32_t> bytes_;
  std::vector<int32_t>& ids_;
  bool after_unknown_ = false;
};

// The bytes of the character at the front of `text`, which is not empty. Normalisation rules of
// others may produce invalid UTF-8: a byte that begins no character then counts as one.
inline size_t front_length(std::string_view text) {
  constexpr std::string_view kLengths = "\1\1\1\1\1\1\1\1\1\1\1\1\2\2\3\4";
  const auto length = static_cast<size_t>(kLengths[static_cast<unsigned char>(text[0]) >> 4]);
  return length < text.size() ? length : text.size();
}

}  // namespace eatt
