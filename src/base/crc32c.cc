#include "base/crc32c.h"

#include <array>

namespace eatt {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41 with its bits reversed.

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[byte] = rest;
  }
  return table;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = make_table();
  uint32_t rest = ~uint32_t{0};
  for (const char c : bytes) {
    rest = (rest >> 8) ^ kTable[(rest ^ static_cast<uint8_t>(c)) & 0xff];
  }
  return ~rest;
}

}  // namespace eatt
