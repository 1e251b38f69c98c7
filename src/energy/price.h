#pragma once

#include <array>
#include <optional>
#include <string>

#include "energy/chip.h"
#include "energy/count_operations.h"
#include "energy/operations.h"

namespace eatt::energy {

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

}  // namespace eatt::energy
