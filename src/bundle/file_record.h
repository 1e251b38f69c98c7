#pragma once

#include <cstdint>
#include <string>

namespace eatt {

// What config.json records about each file of a bundle.
struct FileRecord {
  uint64_t bytes = 0;
  std::string sha256;  // 64 lower-case hexadecimal digits.

  bool operator==(const FileRecord&) const = default;
};

}  // namespace eatt
