#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "energy/chip.h"

namespace eatt::energy {

inline constexpr uint64_t kLargestChipFile = 1 << 20;

// Reads the JSON that docs/energy.md describes; `file` is its name in messages. An Error, one
// sentence that names the file and the key, for whatever is wrong, unknown or said twice.
Chip parse_chip(std::string_view json, const std::string& file);

struct ChipFile {
  std::string_view name;  // "asic.json"
  std::string_view text;
};
// src/energy/chips, carried inside the program.
std::span<const ChipFile> built_in_chip_files();

}  // namespace eatt::energy
