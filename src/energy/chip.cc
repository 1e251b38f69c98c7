#include "energy/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/progress.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"

namespace eatt::energy {
namespace {

const Chip* find_built_in(std::string_view name) {
  const auto& chips = built_in_chips();
  const auto found =
      std::find_if(chips.begin(), chips.end(), [&](const Chip& chip) { return chip.name == name; });
  return found == chips.end() ? nullptr : &*found;
}

const Chip& built_in(std::string_view name) {
  const Chip* chip = find_built_in(name);
  expects(chip != nullptr, "the paper's chips are built in");
  return *chip;
}

Chip read_chip(const std::string& file) {
  Chip chip = parse_chip(read_file(file, kLargestChipFile), file);
  if (find_built_in(chip.name) == nullptr) return chip;
  throw Error(
      fmt::format("{}: name: found \"{}\", the name of a built-in chip, so reports could not tell "
                  "the two apart; change \"name\"",
                  file, chip.name));
}

double fp32_price(const Chip& chip, Operation operation) {
  const std::optional<double> price = chip.price(operation, Number::fp32);
  if (price) return *price;
  throw Error(
      fmt::format("chip {} has no price for {}, which the closed forms count; choose "
                  "another chip",
                  chip.name, class_name(operation, Number::fp32)));
}

}  // namespace

bool Chip::leaves_out(Operation operation, Number number) const {
  return left_out.contains(std::string(name_of(operation))) ||
         left_out.contains(class_name(operation, number));
}

std::string class_name(Operation operation, Number number) {
  return fmt::format("{}/{}", name_of(operation), name_of(number));
}

const std::vector<Chip>& built_in_chips() {
  static const std::vector<Chip> chips = [] {
    std::vector<Chip> parsed;
    for (const ChipFile& file : built_in_chip_files()) {
      parsed.push_back(parse_chip(file.text, std::string(file.name)));
    }
    return parsed;
  }();
  return chips;
}

std::vector<std::string> built_in_chip_names() {
  std::vector<std::string> names;
  for (const ChipFile& file : built_in_chip_files()) {
    names.emplace_back(file.name.substr(0, file.name.rfind(".json")));
  }
  return names;
}

const std::array<Chip, 2>& paper_chips() {
  static const std::array<Chip, 2> chips = {built_in("asic"), built_in("fpga")};
  return chips;
}

Chip find_chip(const std::string& name_or_path) {
  if (const Chip* chip = find_built_in(name_or_path)) return *chip;
  if (const Chip* chip = find_built_in(lower_case(name_or_path))) return *chip;
  const bool is_path =
      name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (is_path) return read_chip(name_or_path);
  std::error_code none;
  const bool has_file = std::filesystem::is_regular_file(name_or_path + ".json", none);
  throw UsageError(
      fmt::format("chip {} is not known, expected one of {}, or a file whose path has a / or ends "
                  "in .json{}",
                  in_quotes(name_or_path), fmt::join(built_in_chip_names(), ", "),
                  has_file ? fmt::format(" (did you mean {}.json?)", name_or_path) : ""));
}

std::vector<Chip> find_chips(const std::vector<std::string>& names_or_paths) {
  std::vector<Chip> chips;
  for (const std::string& name_or_path : names_or_paths) {
    Chip chip = find_chip(name_or_path);
    for (size_t i = 0; i < chips.size(); ++i) {
      if (chips[i].name != chip.name) continue;
      throw UsageError(fmt::format(
          "chips {} and {} are both named {}, so that reports could not tell them apart; expected "
          "each chip once, and files with a \"name\" of their own",
          in_quotes(names_or_paths[i]), in_quotes(name_or_path), chip.name));
    }
    chips.push_back(std::move(chip));
  }
  return chips;
}

double picojoules(const Chip& chip, const ExpectedOperations& operations) {
  return fp32_price(chip, Operation::add) * operations.additions +
         fp32_price(chip, Operation::mul) * operations.multiplications;
}

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
        "chip {} has no price for memory, and the work moves {} bytes; add \"memory\" to its file, "
        "or "
        "\"left_out\": {{\"memory\": \"arithmetic only\"}}, or choose another chip with --chip",
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
