// docs/energy.md says what the program computes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "energy/chip_file.h"
#include "energy/closed_forms.h"
#include "energy/paper_tables.h"
#include "support/files.h"

namespace eatt::energy {
namespace {

using ::testing::HasSubstr;

std::string document() {
  return eatt::testing::read_text(eatt::testing::repository_file("docs/energy.md"));
}

// The cells of "| a | b |"; empty for other lines.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (line.empty() || line.front() != '|') return cells;
  std::istringstream rest(line.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) {
    const size_t begin = cell.find_first_not_of(' ');
    const size_t end = cell.find_last_not_of(' ');
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return cells;
}

template <typename Kinds>
auto kind_named(const Kinds& kinds, std::string_view name) {
  const auto found = std::ranges::find_if(kinds, [&](auto kind) { return name_of(kind) == name; });
  if (found == kinds.end()) throw std::runtime_error("unknown name: " + std::string(name));
  return *found;
}

TEST(EnergyDocs, TheWorkedExampleIsComputedRight) {
  const Shape shape(2, 4);
  const Density density{0.25, 0.25};
  const Chip& asic = paper_chips()[0];
  int rows = 0;
  for (const std::string& line : eatt::testing::split_lines(document())) {
    // | level | mechanism | accounting | additions | multiplications | pJ | % |
    const auto cells = cells_of(line);
    if (cells.size() != 7 || cells[0] == "level" || cells[0].starts_with("-")) continue;
    // "both": where the accountings agree, either will do.
    const Accounting accounting =
        cells[2] == "both" ? Accounting::exact : kind_named(kAccountings, cells[2]);
    const Setting setting{kind_named(kMechanisms, cells[1]), kind_named(kLevels, cells[0]),
                          accounting, shape, density};
    const ExpectedOperations operations =
        expect(forms_of(setting.mechanism, setting.level, setting.accounting), shape, density);
    EXPECT_EQ(cells[3], fmt::format("{:.0f}", operations.additions)) << line;
    EXPECT_EQ(cells[4], fmt::format("{:.0f}", operations.multiplications)) << line;
    EXPECT_EQ(cells[5], fmt::format("{:.1f}", picojoules(setting, asic))) << line;
    EXPECT_EQ(cells[6], fmt::format("{:.2f}", percent_of_vanilla(setting, asic))) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 9) << "three levels of vanilla, and of eatt in both accountings";
}

TEST(EnergyDocs, TheExampleOfAChipIsReadAsTheTextSays) {
  const std::string begin = "```json\n{\n  \"format_version\"";
  const size_t start = document().find(begin);
  ASSERT_NE(start, std::string::npos);
  const size_t text = start + std::string_view("```json\n").size();
  const Chip chip =
      parse_chip(document().substr(text, document().find("```", text) - text), "docs");
  EXPECT_EQ(chip.price(Operation::mul, Number::int8), 0.12);
  EXPECT_TRUE(chip.leaves_out(Operation::mul, Number::int16));
  EXPECT_EQ(chip.memories.front().bytes, 256 * 1024);
}

TEST(EnergyDocs, EverySlipIsListedInTheWordsOfTheProgram) {
  for (const SlipNote& note : slip_notes()) {
    EXPECT_THAT(document(),
                HasSubstr(fmt::format("| {} | {} | {} |", note.letter, note.where, note.text)));
  }
}

std::string forms_cell(Mechanism mechanism, Level level, Accounting accounting) {
  const OperationForms forms = forms_of(mechanism, level, accounting);
  return to_text(forms.additions) + " / " + to_text(forms.multiplications);
}

TEST(EnergyDocs, TheTableOfFormsIsTheProgramsOwn) {
  for (const Mechanism mechanism : kMechanisms) {
    const bool same = forms_of(mechanism, Level::block, Accounting::paper) ==
                      forms_of(mechanism, Level::block, Accounting::exact);
    for (const Accounting accounting : kAccountings) {
      std::string row =
          fmt::format("| {} | {} |", name_of(mechanism), same ? "both" : name_of(accounting));
      for (const Level level : kLevels) {
        row += fmt::format(" {} |", forms_cell(mechanism, level, accounting));
      }
      EXPECT_THAT(document(), HasSubstr(row));
    }
  }
}

}  // namespace
}  // namespace eatt::energy
