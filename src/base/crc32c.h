#pragma once

#include <cstdint>
#include <string_view>

namespace eatt {

// CRC-32C (Castagnoli), as TFRecord files use it. A byte at a time, for records of a few hundred
// bytes: zlib has another polynomial, and a library would be one more dependency for this table.
uint32_t crc32c(std::string_view bytes);

}  // namespace eatt
