#include "energy/closed_forms.h"

#include <gtest/gtest.h>

#include <string>

#include "energy/counted_attention.h"

namespace eatt::energy {
namespace {

using enum Mechanism;
using testing::Counted;
using testing::Matrix;

std::string text(const OperationForms& forms) {
  return to_text(forms.additions) + " / " + to_text(forms.multiplications);
}

TEST(ClosedForms, EveryPartOfVanillaIsAProduct) {
  for (const Accounting accounting : kAccountings) {
    EXPECT_EQ(text(forms_of(vanilla, Duty::query, accounting)), "ld² / ld²");
    EXPECT_EQ(text(forms_of(vanilla, Duty::key, accounting)), "ld² / ld²");
    EXPECT_EQ(text(forms_of(vanilla, Duty::scores, accounting)), "l²d / l²d");
    EXPECT_EQ(text(forms_of(vanilla, Duty::value, accounting)), "ld² / ld²");
    EXPECT_EQ(text(forms_of(vanilla, Duty::context, accounting)), "l²d / l²d");
    EXPECT_EQ(text(forms_of(vanilla, Duty::output, accounting)), "ld² / ld²");
    EXPECT_EQ(text(forms_of(vanilla, Duty::ffn, accounting)), "8ld² / 8ld²");
  }
}

TEST(ClosedForms, TheAccountingsDifferInSelectionsAndDistancesOnly) {
  for (const Mechanism mechanism : kMechanisms) {
    for (const Duty duty : kBlockDuties) {
      const bool selects = (mechanism == eatt || mechanism == selection) &&
                           (duty == Duty::query || duty == Duty::key);
      const bool measures = (mechanism == eatt || mechanism == l1) && duty == Duty::scores;
      const OperationForms paper = forms_of(mechanism, duty, Accounting::paper);
      const OperationForms exact = forms_of(mechanism, duty, Accounting::exact);
      EXPECT_EQ(paper != exact, selects || measures) << name_of(mechanism) << name_of(duty);
      EXPECT_EQ(paper.multiplications, exact.multiplications);
    }
  }
  EXPECT_EQ(text(forms_of(eatt, Duty::query, Accounting::paper)), "ld / 0");
  EXPECT_EQ(text(forms_of(eatt, Duty::query, Accounting::exact)), "ρld² / 0");
  EXPECT_EQ(text(forms_of(eatt, Duty::scores, Accounting::paper)), "l²d / 0");
  EXPECT_EQ(text(forms_of(eatt, Duty::scores, Accounting::exact)), "2l²d / 0");
}

TEST(ClosedForms, QueriesAndKeysAreChargedAtTheirOwnDensity) {
  const Shape shape(3, 4, 5);
  const Density density{.query = 0.5, .key = 0};
  EXPECT_EQ(expect(forms_of(eatt, Duty::query, Accounting::exact), shape, density).additions, 30);
  EXPECT_EQ(expect(forms_of(eatt, Duty::key, Accounting::exact), shape, density).additions, 0);
}

TEST(ClosedForms, EachLevelContainsTheOneBefore) {
  EXPECT_EQ(text(forms_of(vanilla, Level::alignment, Accounting::paper)), "2ld²+l²d / 2ld²+l²d");
  EXPECT_EQ(text(forms_of(vanilla, Level::attention, Accounting::paper)), "3ld²+2l²d / 3ld²+2l²d");
  EXPECT_EQ(text(forms_of(vanilla, Level::block, Accounting::paper)), "12ld²+2l²d / 12ld²+2l²d");
  EXPECT_EQ(text(forms_of(eatt, Level::alignment, Accounting::exact)), "2ρld²+2l²d / 0");
  EXPECT_EQ(text(forms_of(eatt, Level::attention, Accounting::exact)), "ld²+2ρld²+3l²d / ld²+l²d");
  EXPECT_EQ(text(forms_of(eatt, Level::block, Accounting::exact)), "10ld²+2ρld²+3l²d / 10ld²+l²d");
}

TEST(ClosedForms, CountsOfTheLargestShapeAreExactIn64Bits) {
  const Shape largest(Shape::kLargestSize, Shape::kLargestSize);
  const OperationCount counted = count(forms_of(l1, Level::block, Accounting::exact), largest);
  EXPECT_EQ(counted.additions, 15'000'000'000'000'000'000u);  // 12ld²+3l²d, the most of all
  EXPECT_EQ(counted.multiplications, 13'000'000'000'000'000'000u);
}

// ---- exact against plain loops -----------------------------------------------------------------

constexpr size_t kLength = 3;
constexpr size_t kWidth = 8;
constexpr size_t kAttentionWidth = 4;

using Codes = std::vector<std::vector<bool>>;
const Codes kQueryCodes = {
    {1, 0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 0, 0, 0, 0, 1}};
const Codes kKeyCodes = {
    {0, 0, 0, 0, 0, 1, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 0, 0, 0, 0, 0, 0}};
constexpr Density kCodeDensity = {.query = 6.0 / 24, .key = 10.0 / 24};

Matrix counted_scores(Mechanism mechanism, const Matrix& input) {
  const Matrix weights{kWidth, kAttentionWidth};
  switch (mechanism) {
    case vanilla:
      return product(product(input, weights), transposed(product(input, weights)));
    case dense:
      return product(product(input, weights), Matrix{kAttentionWidth, kLength});
    case randinit:
      return Matrix{kLength, kLength};
    case eatt:
      return l1_distances(select_rows(kQueryCodes, weights), select_rows(kKeyCodes, weights));
    case selection:
      return product(select_rows(kQueryCodes, weights),
                     transposed(select_rows(kKeyCodes, weights)));
    case l1:
      return l1_distances(product(input, weights), product(input, weights));
  }
  return {};
}

OperationCount counted_operations(Mechanism mechanism, Level level) {
  Counted::done = {};
  const Matrix input{kLength, kWidth};
  const Matrix scores = counted_scores(mechanism, input);
  if (level >= Level::attention) {
    const Matrix value = product(input, Matrix{kWidth, kAttentionWidth});
    const Matrix context = product(scores, value);
    if (level == Level::block) {
      const Matrix output = product(context, Matrix{kAttentionWidth, kWidth});
      product(product(output, Matrix{kWidth, 4 * kWidth}), Matrix{4 * kWidth, kWidth});
    }
  }
  return Counted::done;
}

TEST(ClosedForms, ExactFormsEqualTheCountedOperationsOfPlainLoops) {
  const Shape shape(kLength, kWidth, kAttentionWidth);
  for (const Mechanism mechanism : kMechanisms) {
    for (const Level level : kLevels) {
      SCOPED_TRACE(std::string(name_of(mechanism)) + ", " + std::string(name_of(level)));
      const OperationCount counted = counted_operations(mechanism, level);
      const ExpectedOperations form =
          expect(forms_of(mechanism, level, Accounting::exact), shape, kCodeDensity);
      EXPECT_DOUBLE_EQ(form.additions, static_cast<double>(counted.additions));
      EXPECT_DOUBLE_EQ(form.multiplications, static_cast<double>(counted.multiplications));
    }
  }
}

// ---- energy ------------------------------------------------------------------------------------

TEST(Chip, PricesAdditionsAndMultiplications) {
  const auto& [asic, fpga] = paper_chips();
  EXPECT_DOUBLE_EQ(picojoules(asic, {.additions = 10, .multiplications = 100}), 9 + 370);
  EXPECT_DOUBLE_EQ(picojoules(fpga, {.additions = 10, .multiplications = 100}), 4 + 1880);
}

TEST(ClosedForms, PercentagesReferToVanillaAtFullAttentionWidth) {
  const Chip& asic = paper_chips()[0];
  const Setting halved{vanilla, Level::attention, Accounting::paper, Shape(22, 512, 256), {}};
  EXPECT_DOUBLE_EQ(percent_of_vanilla(halved, asic), 50);
  EXPECT_DOUBLE_EQ(percent_of_vanilla(halved, asic, halved.shape), 100);
}

}  // namespace
}  // namespace eatt::energy
