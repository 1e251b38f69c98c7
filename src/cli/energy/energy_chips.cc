// `eatt energy chips`: the chips that come with the program, or one of them or of a user's own.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/progress.h"
#include "base/text/text_layout.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "energy/chip.h"

namespace eatt::cli {
namespace {

using energy::Chip;
using energy::Memory;
using enum TextTable::Align;

constexpr size_t kColumns = 100;

struct Options {
  std::string chip;  // A name or a file; empty: all that are built in.
  bool json = false;
};

// For each operation with a price: its name, then a price or nothing for each kind of number.
std::vector<std::vector<std::string>> price_rows(const Chip& chip) {
  std::vector<std::vector<std::string>> rows;
  for (const auto operation : energy::kOperations) {
    std::vector<std::string> row = {std::string(name_of(operation))};
    bool has_price = false;
    for (const auto number : energy::kNumbers) {
      const auto price = chip.price(operation, number);
      row.push_back(price ? fmt::format("{}", *price) : "");
      has_price = has_price || price;
    }
    if (has_price) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> with_numbers(std::vector<std::string> before) {
  before.insert(before.end(), energy::kNumberNames.begin(), energy::kNumberNames.end());
  return before;
}

// A chip takes as many rows as its longest list.
void add_chip(const Chip& chip, TextTable& table) {
  const auto prices = price_rows(chip);
  std::vector<std::string> left_out;
  for (const auto& [key, reason] : chip.left_out) left_out.push_back(key);
  const size_t rows = std::max({prices.size(), left_out.size(), chip.memories.size(), size_t{1}});
  for (size_t i = 0; i < rows; ++i) {
    std::vector<std::string> row =
        i == 0 ? std::vector{chip.name, chip.title} : std::vector<std::string>(2);
    const auto price = i < prices.size() ? prices[i] : std::vector<std::string>(6);
    row.insert(row.end(), price.begin(), price.end());
    row.push_back(i < left_out.size() ? left_out[i] : "");
    if (i < chip.memories.size()) {
      row.push_back(chip.memories[i].name);
      row.push_back(fmt::format("{}", chip.memories[i].picojoules_per_byte));
    }
    table.add_row(std::move(row));
  }
}

std::string all_as_text() {
  TextTable table({left, left, left, right, right, right, right, right, left, left, right});
  std::vector<std::string> head = with_numbers({"chip", "title", "pJ"});
  head.insert(head.end(), {"left out", "memory", "pJ/byte"});
  table.add_row(std::move(head));
  for (const Chip& chip : energy::built_in_chips()) add_chip(chip, table);
  return table.text() +
         "\n"
         "`eatt energy chips NAME` shows where the figures come from and why something is left "
         "out;\n"
         "`eatt energy chips --json NAME` prints the file, which you can copy and change.\n";
}

std::string all_as_json() {
  nlohmann::ordered_json chips;
  for (const Chip& chip : energy::built_in_chips()) {
    chips[chip.name] = nlohmann::ordered_json::parse(chip.json);
  }
  return nlohmann::ordered_json{{"chips", chips}}.dump(2) + "\n";
}

std::string prices(const Chip& chip) {
  TextTable table({left, right, right, right, right, right});
  table.add_row(with_numbers({"pJ"}));
  for (const auto& row : price_rows(chip)) table.add_row(row);
  return table.text();
}

std::string memories(const Chip& chip) {
  if (chip.memories.empty()) return {};
  TextTable table({left, right, right});
  table.add_row({"memory", "bytes", "pJ/byte"});
  for (const Memory& memory : chip.memories) {
    table.add_row({memory.name, memory.bytes ? format_count(*memory.bytes) : "any",
                   fmt::format("{}", memory.picojoules_per_byte)});
  }
  return "\n" + table.text();
}

std::string remarks(std::string_view title, const Chip::Remarks& remarks) {
  if (remarks.empty()) return {};
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [key, remark] : remarks) {
    text += wrap_text(remark, kColumns, fmt::format("  {:9}  ", key));
  }
  return text;
}

// What would be an error in a model's work.
std::string unknown(const Chip& chip) {
  std::vector<std::string> classes;
  for (const auto operation : energy::kOperations) {
    for (const auto number : energy::kNumbers) {
      if (!chip.price(operation, number) && !chip.leaves_out(operation, number)) {
        classes.push_back(energy::class_name(operation, number));
      }
    }
  }
  if (chip.memories.empty() && !chip.leaves_out_memory()) classes.emplace_back("memory");
  if (classes.empty()) return {};
  return "\n"
         "Neither priced nor left out, so a model that uses them gives an error:\n" +
         wrap_text(fmt::format("{}", fmt::join(classes, ", ")), kColumns, "  ");
}

std::string as_text(const Chip& chip) {
  return fmt::format("{}: {}\n", chip.name, chip.title) +
         wrap_text(chip.source, kColumns, "Source: ") + "\n" + prices(chip) + memories(chip) +
         remarks("Left out", chip.left_out) + remarks("Notes", chip.notes) + unknown(chip);
}

void run(const Options& options) {
  if (options.chip.empty()) {
    print_result(options.json ? all_as_json() : all_as_text());
    return;
  }
  const Chip chip = energy::find_chip(options.chip);
  print_result(options.json ? chip.json : as_text(chip));
}

}  // namespace

void add_energy_chips(Command& energy) {
  const auto options = std::make_shared<Options>();
  Command& command =
      energy.add_command("chips", "Show chips and their prices, or check a chip file of your own",
                         "eatt energy chips --json cmos45 > mine.json\n"
                         "  eatt energy chips mine.json");
  command.add_option("chip", options->chip, "The chip to show in detail")
      .shows("NAME|FILE")
      .offers(energy::built_in_chip_names())
      .default_is("all, in brief")
      .reads();
  command.add_flag("--json", options->json,
                   "Print the file of one chip, or all chips as one object");
  command.on_run([options] { run(*options); });
}

}  // namespace eatt::cli
