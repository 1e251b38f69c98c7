#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "energy/operations.h"

namespace eatt::energy {

// One of the memories of a chip.
struct Memory {
  std::string name;               // "SRAM 8 KB"
  std::optional<uint64_t> bytes;  // Its size; without one it holds anything.
  double picojoules_per_byte = 0;

  bool holds(uint64_t data) const { return !bytes || data <= *bytes; }
  friend bool operator==(const Memory&, const Memory&) = default;
};

// The energy that a chip spends on operations and on moving data. A class of operations (an
// operation on a kind of number) has a price, is left out for a stated reason, or is unknown to the
// chip. Callers must report an unknown class and never count it as free.
struct Chip {
  // By key of the file: "exp" for all kinds of numbers, "add/int8", "memory".
  using Remarks = std::map<std::string, std::string>;

  std::string name;    // As in options and JSON.
  std::string title;   // "45 nm CMOS, 0.9 V"
  std::string source;  // Where the figures come from.
  std::array<std::array<std::optional<double>, kNumbers.size()>, kOperations.size()> picojoules;
  Remarks left_out;              // Why.
  Remarks notes;                 // On classes that have a price.
  std::vector<Memory> memories;  // By size; the last holds anything. Empty: they have no price.
  std::string json;              // The file, byte by byte.

  // Picojoules; nothing if it is left out or not known.
  std::optional<double>& price(Operation operation, Number number) {
    return picojoules[static_cast<size_t>(operation)][static_cast<size_t>(number)];
  }
  std::optional<double> price(Operation operation, Number number) const {
    return picojoules[static_cast<size_t>(operation)][static_cast<size_t>(number)];
  }
  bool leaves_out(Operation operation, Number number) const;
  bool leaves_out_memory() const { return left_out.contains("memory"); }
};

std::string class_name(Operation operation, Number number);  // "add/int8"

// asic, fpga, cmos45: the files in src/energy/chips.
const std::vector<Chip>& built_in_chips();
std::vector<std::string> built_in_chip_names();

// The paper's Table 1: asic, fpga.
const std::array<Chip, 2>& paper_chips();

// A built-in chip by its name, or a file (with a / in its path, or ending in .json). Throws a
// UsageError that lists the names, or an Error about the file, also if it has a built-in's name.
Chip find_chip(const std::string& name_or_path);

// Several, in this order. Throws a UsageError also if two have the same name.
std::vector<Chip> find_chips(const std::vector<std::string>& names_or_paths);

// Additions and multiplications of fp32, which the chip must price. No memory, no activations.
double picojoules(const Chip& chip, const ExpectedOperations& operations);

inline constexpr uint64_t kLargestChipFile = 1 << 20;

// Reads the JSON that docs/energy.md describes; `file` is its name in messages. Throws
// an Error that names the file and the key if anything is wrong, unknown or given twice.
Chip parse_chip(std::string_view json, const std::string& file);

struct ChipFile {
  std::string_view name;  // "asic.json"
  std::string_view text;
};
// The files of src/energy/chips, built into the program.
std::span<const ChipFile> built_in_chip_files();

}  // namespace eatt::energy
