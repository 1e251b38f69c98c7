#include "bundle/piece_count.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace eatt {
namespace {

constexpr uint64_t kPieceField = 1;

// The wire types of protocol buffers; 3 and 4 (groups) are long out of use.
enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

class FieldWalker {
 public:
  FieldWalker(std::span<const std::byte> bytes, const std::string& file)
      : bytes_(bytes), file_(file) {}

  bool at_end() const { return at_ == bytes_.size(); }

  // Steps over one field; true if it is a piece.
  bool step_over_piece() {
    const size_t start = at_;
    const uint64_t key = read_varint();
    const uint64_t field = key >> 3;
    const uint64_t wire_type = key & 7;
    if (field == 0) fail(start, "a field number above 0");
    if (field == kPieceField && wire_type != kDelimited) fail(start, "a piece");
    switch (wire_type) {
      case kVarint:
        read_varint();
        break;
      case kFixed64:
        skip(8);
        break;
      case kDelimited:
        skip(read_varint());
        break;
      case kFixed32:
        skip(4);
        break;
      default:
        fail(start, "a field of a known type");
    }
    return field == kPieceField;
  }

 private:
  // At most ten bytes of seven bits each, the lowest first; the tenth has one bit left to give.
  uint64_t read_varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_end()) fail(at_, "more bytes");
      const auto byte = std::to_integer<uint64_t>(bytes_[at_++]);
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail(at_, "a number of at most 64 bits");
  }

  void skip(uint64_t count) {
    if (count > bytes_.size() - at_) {
      fail(at_, fmt::format("{} more bytes, found {}", count, bytes_.size() - at_));
    }
    at_ += count;
  }

  [[noreturn]] void fail(size_t at, std::string_view expected) const {
    throw Error(fmt::format(
        "{}: is not a SentencePiece model: at byte {} of {}: expected {}; copy the file again",
        file_, at, bytes_.size(), expected));
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  size_t at_ = 0;
};

}  // namespace

size_t count_pieces(std::span<const std::byte> bytes, const std::string& file_name) {
  FieldWalker walker(bytes, file_name);
  size_t pieces = 0;
  while (!walker.at_end()) pieces += walker.step_over_piece();
  if (pieces == 0) {
    throw Error(fmt::format(
        "{}: has no pieces in its {} bytes, expected a SentencePiece model; copy the file again",
        file_name, bytes.size()));
  }
  return pieces;
}

}  // namespace eatt
