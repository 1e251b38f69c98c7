#include "energy/price.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/progress.h"

namespace eatt::energy {
namespace {

const Memory& memory_for(const Chip& chip, uint64_t bytes) {
  const auto found = std::find_if(chip.memories.begin(), chip.memories.end(),
                                  [&](const Memory& memory) { return memory.holds(bytes); });
  expects(found != chip.memories.end(), "the last memory holds anything");
  return *found;
}

void price_operations(const Chip& chip, const OperationCounts& operations, Price& price) {
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      const uint64_t count = operations.at(operation, number);
      if (count == 0) continue;
      if (const auto picojoules = chip.price(operation, number)) {
        price.arithmetic_picojoules += *picojoules * static_cast<double>(count);
      } else if (chip.leaves_out(operation, number)) {
        price.left_out.at(operation, number) = count;
      } else {
        throw Error(fmt::format(
            "chip {} has no price for {}, which the work contains {} times; name it under "
            "\"operations\" or \"left_out\", or choose another chip with --chip",
            chip.name, class_name(operation, number), format_count(count)));
      }
    }
  }
}

void price_memory(const Chip& chip, const Work& work, const Footprint& footprint, Price& price) {
  if (chip.leaves_out_memory()) return;
  if (chip.memories.empty()) {
    uint64_t bytes = 0;
    for (const Data data : kData) bytes += work.moved(data).total();
    if (bytes == 0) return;
    throw Error(fmt::format(
        "chip {} has no price for memory, of which the work moves {} bytes; give it \"memory\" or "
        "name memory under \"left_out\", or choose another chip with --chip",
        chip.name, format_count(bytes)));
  }
  auto& moved = price.memory.emplace();
  for (const Data data : kData) {
    const Memory& memory = memory_for(chip, footprint.of(data));
    moved[static_cast<size_t>(data)] = {
        memory.name, memory.picojoules_per_byte * static_cast<double>(work.moved(data).total())};
  }
}

}  // namespace

std::optional<double> Price::memory_picojoules() const {
  if (!memory) return std::nullopt;
  double sum = 0;
  for (const MovedPrice& moved : *memory) sum += moved.picojoules;
  return sum;
}

Price price(const Chip& chip, const Work& work, const Footprint& footprint) {
  Price price;
  price_operations(chip, work.operations, price);
  price_memory(chip, work, footprint, price);
  return price;
}

}  // namespace eatt::energy
