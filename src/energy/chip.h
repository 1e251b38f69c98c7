#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "energy/ledger.h"
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

// A built-in chip by its name, in any letter case, or a file (with a / in its path, or ending in
// .json). Throws a UsageError that lists the names, or an Error about the file, also if it has a
// built-in's name.
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

// The cost of moving the bytes of one kind of data.
struct MovedPrice {
  std::string memory;  // Where the data is: the smallest memory that holds all of it.
  double picojoules = 0;
};

inline constexpr double kPicojoule = 1e-12;  // Joules.

// The cost of some work on a chip.
struct Price {
  double arithmetic_picojoules = 0;
  // By kind of data; absent if the chip leaves out memory.
  std::optional<std::array<MovedPrice, kData.size()>> memory;
  OperationCounts left_out;  // Left out by the chip, so not part of the picojoules.

  const MovedPrice& moved(Data data) const { return memory->at(static_cast<size_t>(data)); }
  std::optional<double> memory_picojoules() const;
};

// `footprint` is that of the whole model and activity, even if the work is only a part of it.
// Throws an Error that names the first class of operations, or memory, that the work contains and
// the chip neither prices nor leaves out.
Price price(const Chip& chip, const Work& work, const Footprint& footprint);

struct EnergyUnit {
  std::string_view name;
  double picojoules;
};

// The largest unit in which the energy, rounded to three digits, is at least 1; pJ if there is
// none.
inline EnergyUnit unit_for(double picojoules) {
  constexpr std::array<EnergyUnit, 5> kUnits = {
      {{"pJ", 1}, {"nJ", 1e3}, {"µJ", 1e6}, {"mJ", 1e9}, {"J", 1e12}}};
  EnergyUnit chosen = kUnits.front();
  for (const EnergyUnit& unit : kUnits) {
    if (picojoules >= 0.9995 * unit.picojoules) chosen = unit;
  }
  return chosen;
}

}  // namespace eatt::energy
