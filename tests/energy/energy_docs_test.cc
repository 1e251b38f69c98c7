// docs/energy.md says what the program computes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "energy/chip.h"
#include "energy/closed_forms.h"
#include "energy/ledger.h"
#include "energy_report/formulas_report.h"
#include "support/files.h"
#include "written_activity.h"

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

// The encoder layer of "One layer by hand": two positions with one and two ones.
Ledger layer_by_hand(Mechanism mechanism, Precision precision) {
  Architecture a;
  a.model_dim = a.qk_dim = a.attention_dim = 4;
  a.heads = 2;
  a.ffn_dim = 8;
  a.source_vocab = a.target_vocab = 10;
  a.encoder_self.layers = {mechanism};
  a.decoder_self.layers = a.cross.layers = {Mechanism::vanilla};
  Activity activity;
  activity.sentences = activity.batches = 1;
  activity.source_rows = 2;
  activity.source_pairs = 4;
  activity.encoder_self = {{.rows = 2, .ones = 3, .distinct = 2}};
  const Ledger whole = count_operations(a, precision, activity);
  Ledger layer;
  for (const auto& [line, work] : whole.lines()) {
    if (line.place.stack == Stack::encoder && line.place.layer == 1) layer.add(line, work);
  }
  return layer;
}

// The rows of the table whose head starts with `name`.
std::vector<std::vector<std::string>> table_named(std::string_view name) {
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (const std::string& line : eatt::testing::split_lines(document())) {
    const auto cells = cells_of(line);
    if (cells.empty()) {
      inside = false;
    } else if (cells[0] == name) {
      inside = true;
    } else if (inside && !cells[0].starts_with("-")) {
      rows.push_back(cells);
    }
  }
  return rows;
}

TEST(EnergyDocs, TheLayerByHandIsCountedRight) {
  using enum Operation;
  const auto rows = table_named("layer by hand");
  ASSERT_EQ(rows.size(), 10);
  for (const auto& cells : rows) {
    const Work work = layer_by_hand(kind_named(kMechanisms, cells[0]), Precision::float32)
                          .of(kind_named(kDutyRows, cells[1]));
    std::vector<std::string> expected = {cells[0], cells[1]};
    for (const Operation operation : {add, mul, compare, exp, div})
      expected.push_back(std::to_string(work.operations.total(operation)));
    expected.push_back(std::to_string(work.moved(Data::weights).read));
    EXPECT_EQ(cells, expected);
  }
}

TEST(EnergyDocs, TheLayerByHandInInt8IsCountedRight) {
  using enum Operation;
  using enum Number;
  const auto rows = table_named("layer by hand, int8");
  ASSERT_EQ(rows.size(), 4);
  for (const auto& cells : rows) {
    const OperationCounts counts = layer_by_hand(kind_named(kMechanisms, cells[0]), Precision::int8)
                                       .of(kind_named(kDutyRows, cells[1]))
                                       .operations;
    std::vector<std::string> expected = {cells[0], cells[1]};
    for (const uint64_t count : {counts.at(add, int16), counts.at(add, int32), counts.at(add, fp32),
                                 counts.at(mul, int8), counts.at(mul, fp32), counts.total(shift)})
      expected.push_back(std::to_string(count));
    EXPECT_EQ(cells, expected);
  }
}

TEST(EnergyDocs, TheLayerByHandIsPricedRight) {
  const Chip& asic = paper_chips()[0];
  const auto joules = [&](Mechanism mechanism, auto duties) {
    Work work;
    for (const auto& duty : duties) work += layer_by_hand(mechanism, Precision::float32).of(duty);
    return price(asic, work, {}).arithmetic_picojoules;
  };
  const std::array alignment = {Duty::query, Duty::key, Duty::scores};
  const double eatt = joules(Mechanism::eatt, alignment);
  const double vanilla = joules(Mechanism::vanilla, alignment);
  EXPECT_THAT(document(), HasSubstr(fmt::format("= {:.1f} pJ, vanilla's", eatt)));
  EXPECT_THAT(document(),
              HasSubstr(fmt::format("= {:.0f} pJ: {:.2f} %", vanilla, 100 * eatt / vanilla)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("= {:.1f} pJ; its comparisons",
                                                joules(Mechanism::eatt, kDutyRows))));
}

Chip example_of_a_chip() {
  const std::string begin = "```json\n{\n  \"format_version\"";
  const std::string text = document();
  const size_t start = text.find(begin) + std::string_view("```json\n").size();
  return parse_chip(text.substr(start, text.find("```", start) - start), "docs");
}

TEST(EnergyDocs, TheExampleOfAChipIsReadAsTheTextSays) {
  const Chip chip = example_of_a_chip();
  EXPECT_EQ(chip.price(Operation::mul, Number::int8), 0.12);
  EXPECT_TRUE(chip.leaves_out(Operation::mul, Number::int16));
  EXPECT_EQ(chip.memories.front().bytes, 256 * 1024);
}

TEST(EnergyDocs, TheExampleOfAChipPricesModelsOfAnyMechanismInBothPrecisions) {
  const Chip chip = example_of_a_chip();
  const Activity activity = testing::written_activity(5, 4, /*layers=*/2, /*columns=*/12, 3);
  for (const Mechanism mechanism : kMechanisms) {
    Architecture a;
    a.model_dim = a.qk_dim = a.attention_dim = 4;
    a.heads = 2;
    a.ffn_dim = 8;
    a.source_vocab = a.target_vocab = 12;
    a.encoder_self.layers = a.decoder_self.layers = a.cross.layers = {mechanism, mechanism};
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const Work work = count_operations(a, precision, activity).total();
      const Price paid = price(chip, work, footprint(a, precision, activity));
      EXPECT_GT(paid.arithmetic_picojoules, 0) << name_of(mechanism);
      EXPECT_GT(paid.memory_picojoules().value(), 0);
    }
  }
}

TEST(EnergyDocs, TheExampleOfAnUnknownClassIsTheProgramsOwn) {
  const Ledger layer = layer_by_hand(Mechanism::eatt, Precision::int8);
  try {
    price(paper_chips()[0], layer.total(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(document().find(fmt::format("\n{}\n", error.what())), std::string::npos)
        << error.what();
  }
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
