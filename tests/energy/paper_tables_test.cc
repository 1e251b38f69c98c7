// Every energy figure that the paper prints, against the forms, to the printed digits.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "energy/chip.h"
#include "energy/closed_forms.h"
#include "energy/shape.h"
#include "energy_report/formulas_report.h"
#include "support/files.h"

namespace eatt::energy {
namespace {

using enum Level;
using enum Mechanism;
using enum Quantity;

const Chip& chip_named(std::string_view name) {
  const auto found = std::ranges::find(paper_chips(), name, &Chip::name);
  EXPECT_NE(found, paper_chips().end()) << name;
  return *found;
}

double computed(Mechanism mechanism, Level level, std::string_view chip,
                Accounting accounting = Accounting::paper, const Density& density = {},
                const Shape& shape = paper_shape()) {
  return percent_of_vanilla({mechanism, level, accounting, shape, density}, chip_named(chip));
}

// Whether `computed` gives the printed digits when rounded to as many decimals.
bool agrees(double computed, std::string_view digits) {
  const size_t point = digits.find('.');
  const size_t decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  return fmt::format("{:.{}f}", computed, decimals) == digits;
}

// ---- the printed figures -----------------------------------------------------------------------

struct Row {
  std::string_view where;
  Level level;
  Mechanism mechanism;
  std::string_view chip;
  Quantity quantity;
  std::string_view digits;
  bool agrees;  // When the form's value is rounded to as many decimals.
  Slip mark = Slip::none;
};

const std::vector<Row> kRows = {
    {"Table 2", alignment, vanilla, "asic", consumption, "100.00", true},
    {"Table 2", alignment, dense, "asic", consumption, "51.10", false, Slip::dense_alignment},
    {"Table 2", alignment, randinit, "asic", consumption, "0.00", true},
    {"Table 2", alignment, eatt, "asic", consumption, "0.44", false, Slip::alignment_cut},
    {"Table 2", attention, vanilla, "asic", consumption, "100.00", true},
    {"Table 2", attention, dense, "asic", consumption, "67.59", true},
    {"Table 2", attention, randinit, "asic", consumption, "33.80", true},
    {"Table 2", attention, eatt, "asic", consumption, "34.10", false,
     Slip::attention_rounded_twice},
    {"Table of results", attention, vanilla, "asic", consumption, "100.00", true},
    {"Table of results", attention, vanilla, "fpga", consumption, "100.00", true},
    {"Table of results", attention, eatt, "asic", consumption, "34.10", false,
     Slip::attention_rounded_twice},
    {"Table of results", attention, eatt, "fpga", consumption, "33.83", true},
    {"Table of results, caption", attention, eatt, "asic", saving, "65.90", false,
     Slip::saving_of_rounded},
    {"Table of results, caption", attention, eatt, "fpga", saving, "66.17", true},
    {"Text on the results", attention, eatt, "asic", consumption, "34.10", false,
     Slip::attention_rounded_twice},
    {"Text on the results", attention, eatt, "fpga", consumption, "33.83", true},
    {"Appendix, table", alignment, eatt, "asic", consumption, "0.45", true},
    {"Appendix, table", alignment, eatt, "fpga", consumption, "0.05", true},
    {"Appendix, table", attention, eatt, "asic", consumption, "34.09", true},
    {"Appendix, table", attention, eatt, "fpga", consumption, "33.83", true},
    {"Appendix, table", block, eatt, "asic", consumption, "83.17", true},
    {"Appendix, table", block, eatt, "fpga", consumption, "83.10", true},
    {"Appendix, text", attention, eatt, "asic", consumption, "34.09", true},
    {"Appendix, text", attention, eatt, "fpga", consumption, "33.83", true},
    {"Appendix, text", attention, eatt, "asic", saving, "65.91", true},
    {"Appendix, text", attention, eatt, "fpga", saving, "66.17", true},
    // Right as savings, which the text calls consumption.
    {"Appendix, text", alignment, eatt, "asic", saving, "99.55", true,
     Slip::savings_called_consumption},
    {"Appendix, text", alignment, eatt, "fpga", saving, "99.95", true,
     Slip::savings_called_consumption},
    {"Appendix, text", block, eatt, "asic", consumption, "83.17", true},
    {"Appendix, text", block, eatt, "fpga", consumption, "83.10", true},
    {"Abstract", alignment, eatt, "asic", saving, "99", false, Slip::savings_cut},
    {"Abstract", attention, eatt, "asic", saving, "66", true},
    {"Conclusion", block, eatt, "asic", saving, "17", true},
};

TEST(PaperTables, EveryPrintedFigureFollowsFromTheFormsOrIsMarked) {
  ASSERT_EQ(printed_figures().size(), kRows.size());
  for (size_t i = 0; i < kRows.size(); ++i) {
    const Row& row = kRows[i];
    const PrintedFigure& figure = printed_figures()[i];
    SCOPED_TRACE(fmt::format("{}: {} {} {} {}", row.where, name_of(row.level),
                             name_of(row.mechanism), row.chip, row.digits));
    EXPECT_EQ(figure.where, row.where);
    EXPECT_EQ(figure.level, row.level);
    EXPECT_EQ(figure.mechanism, row.mechanism);
    EXPECT_EQ(figure.chip, row.chip);
    EXPECT_EQ(figure.quantity, row.quantity);
    EXPECT_EQ(figure.digits, row.digits);
    EXPECT_EQ(figure.slip, row.mark);

    const double percent = computed(row.mechanism, row.level, row.chip);
    EXPECT_EQ(agrees(row.quantity == saving ? 100 - percent : percent, row.digits), row.agrees);
    EXPECT_TRUE(row.agrees || figure.slip != Slip::none) << "a difference carries a mark";
  }
}

TEST(PaperTables, TheMarkedDifferencesAreWhatTheirNotesSay) {
  EXPECT_TRUE(
      agrees(computed(dense, alignment, "asic", Accounting::paper, {}, Shape(23, 512)), "51.10"));
  EXPECT_TRUE(agrees(computed(dense, alignment, "asic"), "51.05"));
  EXPECT_TRUE(agrees(computed(eatt, alignment, "asic"), "0.449"));
  EXPECT_TRUE(agrees(computed(eatt, attention, "asic"), "34.0947"));
  EXPECT_TRUE(agrees(computed(eatt, attention, "asic"), "34.095"));
  EXPECT_TRUE(agrees(100 - 34.10, "65.90"));
  EXPECT_GT(100 - computed(eatt, alignment, "asic"), 99) << "\"more than 99 %\"";
}

TEST(PaperTables, PrintedFormsAreOurs) {
  struct Printed {
    Mechanism mechanism;
    Level level;
    std::string_view additions;  // Empty where the paper gives multiplications only.
    std::string_view multiplications;
  };
  const std::vector<Printed> printed = {
      {vanilla, alignment, "2ld²+l²d", "2ld²+l²d"},
      {vanilla, attention, "3ld²+2l²d", "3ld²+2l²d"},
      {vanilla, block, "12ld²+2l²d", "12ld²+2l²d"},
      {dense, alignment, "", "ld²+l²d"},
      {dense, attention, "", "2ld²+2l²d"},
      {randinit, alignment, "", "0"},
      {randinit, attention, "", "ld²+l²d"},
      {eatt, alignment, "2ld+l²d", "0"},  // Printed 2ld + l^d: Slip::selection_form.
      {eatt, attention, "ld²+2ld+2l²d", "ld²+l²d"},
      {eatt, block, "10ld²+2ld+2l²d", "10ld²+l²d"},
  };
  for (const Printed& row : printed) {
    SCOPED_TRACE(fmt::format("{} {}", name_of(row.mechanism), name_of(row.level)));
    const OperationForms forms = forms_of(row.mechanism, row.level, Accounting::paper);
    if (!row.additions.empty()) {
      EXPECT_EQ(to_text(forms.additions), row.additions);
    }
    EXPECT_EQ(to_text(forms.multiplications), row.multiplications);
  }
}

TEST(PaperTables, ChipsArePricedAsInTable1) {
  EXPECT_EQ(chip_named("asic").price(Operation::add, Number::fp32), 0.9);
  EXPECT_EQ(chip_named("asic").price(Operation::mul, Number::fp32), 3.7);
  EXPECT_EQ(chip_named("fpga").price(Operation::add, Number::fp32), 0.4);
  EXPECT_EQ(chip_named("fpga").price(Operation::mul, Number::fp32), 18.8);
}

// ---- more digits than the paper prints ---------------------------------------------------------

TEST(PaperTables, ThePaperAccountingGivesTheseThirdDecimals) {
  struct Expected {
    Mechanism mechanism;
    Level level;
    std::string_view asic;
    std::string_view fpga;
  };
  const std::vector<Expected> expected = {
      {dense, alignment, "51.052", "51.052"},   {dense, attention, "67.595", "67.595"},
      {dense, block, "91.726", "91.726"},       {randinit, attention, "33.797", "33.797"},
      {randinit, block, "83.096", "83.096"},    {eatt, alignment, "0.449", "0.048"},
      {eatt, attention, "34.095", "33.829"},    {eatt, block, "83.172", "83.104"},
      {selection, alignment, "2.141", "2.107"}, {selection, attention, "35.215", "35.193"},
      {selection, block, "83.458", "83.453"},   {l1, alignment, "98.308", "97.941"},
      {l1, attention, "98.880", "98.637"},      {l1, block, "99.714", "99.652"},
  };
  for (const Expected& row : expected) {
    SCOPED_TRACE(fmt::format("{} {}", name_of(row.mechanism), name_of(row.level)));
    EXPECT_TRUE(agrees(computed(row.mechanism, row.level, "asic"), row.asic));
    EXPECT_TRUE(agrees(computed(row.mechanism, row.level, "fpga"), row.fpga));
  }
}

TEST(PaperTables, TheExactAccountingAtThePapersDensitiesGivesTheseFigures) {
  const auto exact = [](Level level, const Density& density) {
    return computed(eatt, level, "asic", Accounting::exact, density);
  };
  const Densities densities = paper_densities();
  EXPECT_TRUE(agrees(exact(alignment, densities.roles[0].mean), "3.34"));  // enc-self
  EXPECT_TRUE(agrees(exact(alignment, densities.roles[1].mean), "5.69"));  // dec-self
  EXPECT_TRUE(agrees(exact(alignment, densities.roles[2].mean), "7.49"));  // cross
  EXPECT_TRUE(agrees(exact(alignment, densities.mean), "5.51"));
  EXPECT_TRUE(agrees(exact(attention, densities.mean), "37.44"));
  EXPECT_TRUE(agrees(exact(block, densities.mean), "84.03"));

  const Density measured = {0.17, 0.17};
  EXPECT_TRUE(agrees(exact(alignment, measured), "4.08"));
  EXPECT_TRUE(agrees(exact(attention, measured), "36.50"));
  EXPECT_TRUE(agrees(exact(block, measured), "83.79"));
}

// ---- the distillation figure -------------------------------------------------------------------

TEST(PaperTables, DistillationEnergiesFollowFromTheAttentionWidthOrAreMarked) {
  struct Expected {
    Mechanism mechanism;
    uint64_t width;
    std::string_view printed;
    bool agrees;
    std::string_view by_attention_width;
    std::string_view by_model_width;
    Slip mark = Slip::none;
  };
  const std::vector<Expected> expected = {
      {vanilla, 512, "100", true, "100.000", "100.000"},
      {vanilla, 256, "50", true, "50.000", "25.696"},
      {vanilla, 128, "25", true, "25.000", "6.772"},
      {vanilla, 64, "12.5", true, "12.500", "1.867"},
      {eatt, 512, "34.09", true, "34.095", "34.095"},
      {eatt, 256, "17.05", true, "17.047", "8.946"},
      {eatt, 128, "8.53", false, "8.524", "2.448", Slip::distillation_eighth},
      {eatt, 64, "4.28", false, "4.262", "0.718", Slip::distillation_last},
  };
  const auto rows = distillation_rows({});
  ASSERT_EQ(rows.size(), expected.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(fmt::format("{} {}", name_of(expected[i].mechanism), expected[i].width));
    EXPECT_EQ(rows[i].mechanism, expected[i].mechanism);
    EXPECT_EQ(rows[i].width, expected[i].width);
    ASSERT_EQ(rows[i].printed.size(), 1u);
    EXPECT_EQ(rows[i].printed.front().digits, expected[i].printed);
    EXPECT_EQ(rows[i].printed.front().slip, expected[i].mark);
    EXPECT_EQ(agrees(rows[i].attention_width.paper, expected[i].printed), expected[i].agrees);
    EXPECT_TRUE(agrees(rows[i].attention_width.paper, expected[i].by_attention_width));
    EXPECT_TRUE(agrees(rows[i].model_width.paper, expected[i].by_model_width));
  }
}

// ---- against the paper's figures as kept beside the repository ---------------------------------

TEST(PaperTables, FiguresEqualTheSharedTranscript) {
  const auto file = eatt::testing::repository_file("../shared/paper-results.json");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs ../shared/paper-results.json";
  std::ifstream stream(file);
  const auto paper = nlohmann::json::parse(stream);

  const auto printed = [](const std::string& level, const std::string& mechanism,
                          const std::string& chip) {
    std::vector<double> values;
    for (const PrintedFigure& figure : printed_figures()) {
      if (name_of(figure.level) == level && name_of(figure.mechanism) == mechanism &&
          figure.chip == chip && figure.quantity == consumption) {
        values.push_back(value_of(figure.digits));
      }
    }
    return values;
  };
  for (const auto& [level, mechanisms] : paper["table2_ratio_asic_percent"].items()) {
    for (const auto& [mechanism, value] : mechanisms.items()) {
      EXPECT_THAT(printed(level, mechanism, "asic"), ::testing::Contains(value.get<double>()));
    }
  }
  for (const auto& [level, chips] : paper["table_appendix_ratio_percent"].items()) {
    for (const auto& [chip, value] : chips.items()) {
      EXPECT_THAT(printed(level, "eatt", chip), ::testing::Contains(value.get<double>()));
    }
  }
  for (const auto& [chip, prices] : paper["table1_energy_pj"].items()) {
    EXPECT_EQ(chip_named(chip).price(Operation::add, Number::fp32), prices["add"].get<double>());
    EXPECT_EQ(chip_named(chip).price(Operation::mul, Number::fp32), prices["mul"].get<double>());
  }
  const auto& figure = paper["figure_distillation_en_vi_dev"];
  for (size_t i = 0; i < figure["d"].size(); ++i) {
    for (const DistillationPoint& point : distillation_points()) {
      if (point.width != figure["d"][i]) continue;
      EXPECT_EQ(value_of(point.digits),
                figure[std::string(name_of(point.mechanism))]["energy_percent"][i]);
    }
  }
  const Densities densities = paper_densities();
  for (size_t layer = 0; layer < 6; ++layer) {
    const auto percent = [&](const char* role) {
      return paper["figure_density_percent"][role][layer].get<double>();
    };
    EXPECT_DOUBLE_EQ(100 * densities.roles[0].layers.at(layer).query, percent("enc-self"));
    EXPECT_DOUBLE_EQ(100 * densities.roles[0].layers.at(layer).key, percent("enc-self"));
    EXPECT_DOUBLE_EQ(100 * densities.roles[1].layers.at(layer).query, percent("dec-self"));
    EXPECT_DOUBLE_EQ(100 * densities.roles[1].layers.at(layer).key, percent("dec-self"));
    EXPECT_DOUBLE_EQ(100 * densities.roles[2].layers.at(layer).query, percent("cross-query"));
    EXPECT_DOUBLE_EQ(100 * densities.roles[2].layers.at(layer).key, percent("cross-key"));
  }
}

}  // namespace
}  // namespace eatt::energy
