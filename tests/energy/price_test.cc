#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "energy/chip.h"

namespace eatt::energy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Near: 100 bytes at 1 pJ; far: 10 pJ.
Chip chip_with_memory() {
  Chip chip;
  chip.name = "mine";
  chip.price(Operation::add, Number::int8) = 0.5;
  chip.price(Operation::add, Number::fp32) = 2;
  chip.price(Operation::mul, Number::fp32) = 3;
  chip.left_out = {{"exp", "rare"}, {"add/int16", "not built"}};
  chip.memories = {{"near", 100, 1}, {"far", std::nullopt, 10}};
  return chip;
}

Work work_of(Operation operation, Number number, uint64_t count) {
  Work work;
  work.operations.at(operation, number) = count;
  return work;
}

std::string error_of(const Chip& chip, const Work& work) {
  try {
    price(chip, work, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Price, AddsUpOperationsByTheirClass) {
  Work work = work_of(Operation::add, Number::int8, 10);
  work += work_of(Operation::add, Number::fp32, 100);
  work += work_of(Operation::mul, Number::fp32, 1000);
  EXPECT_DOUBLE_EQ(price(chip_with_memory(), work, {}).arithmetic_picojoules, 5 + 200 + 3000);
}

TEST(Price, TellsHowOftenWhatIsLeftOutWasMet) {
  Work work = work_of(Operation::exp, Number::fp32, 7);
  work += work_of(Operation::exp, Number::fp16, 5);
  work += work_of(Operation::add, Number::int16, 3);
  work += work_of(Operation::add, Number::fp32, 1);
  OperationCounts left_out = work.operations;
  left_out.at(Operation::add, Number::fp32) = 0;
  const Price price = energy::price(chip_with_memory(), work, {});
  EXPECT_EQ(price.left_out, left_out);
  EXPECT_DOUBLE_EQ(price.arithmetic_picojoules, 2);
}

TEST(Price, DataLiesInTheSmallestMemoryThatHoldsAllOfIt) {
  Work work;
  work.moved(Data::weights) = {.read = 1000, .written = 0};
  work.moved(Data::activations) = {.read = 20, .written = 30};
  const Footprint footprint{.weights = 101, .activations = 100, .caches = 0};
  const Price price = energy::price(chip_with_memory(), work, footprint);
  ASSERT_TRUE(price.memory);
  EXPECT_EQ(price.moved(Data::weights).memory, "far");
  EXPECT_DOUBLE_EQ(price.moved(Data::weights).picojoules, 10000);
  EXPECT_EQ(price.moved(Data::activations).memory, "near");
  EXPECT_DOUBLE_EQ(price.moved(Data::activations).picojoules, 50);
  EXPECT_EQ(price.moved(Data::caches).memory, "near");
  EXPECT_DOUBLE_EQ(price.moved(Data::caches).picojoules, 0);
  EXPECT_DOUBLE_EQ(price.memory_picojoules().value(), 10050);
}

TEST(Price, MemoryThatIsLeftOutHasNoPriceRatherThanNone) {
  Work work = work_of(Operation::add, Number::fp32, 1);
  work.moved(Data::weights).read = 4;
  const Price price = energy::price(paper_chips()[0], work, {});
  EXPECT_FALSE(price.memory);
  EXPECT_EQ(price.memory_picojoules(), std::nullopt);
  EXPECT_DOUBLE_EQ(price.arithmetic_picojoules, 0.9);
}

TEST(Price, AClassThatTheChipDoesNotKnowIsAnError) {
  EXPECT_EQ(error_of(paper_chips()[0], work_of(Operation::mul, Number::int8, 1234)),
            "chip asic has no price for mul/int8, which the work contains 1,234 times; name it "
            "under \"operations\" or \"left_out\", or choose another chip with --chip");
  EXPECT_THAT(error_of(chip_with_memory(), work_of(Operation::shift, Number::fp32, 1)),
              HasSubstr("no price for shift/fp32"));
}

TEST(Price, AnUnknownClassThatIsNotMetIsNoError) {
  EXPECT_EQ(error_of(chip_with_memory(), work_of(Operation::shift, Number::fp32, 0)), "no error");
}

TEST(Price, MemoryThatTheChipIsSilentOnIsAnErrorOnceBytesAreMoved) {
  Chip chip = chip_with_memory();
  chip.memories.clear();
  EXPECT_EQ(error_of(chip, {}), "no error");
  Work work;
  work.moved(Data::caches).written = 4321;
  EXPECT_THAT(error_of(chip, work), AllOf(StartsWith("chip mine has no price for memory"),
                                          HasSubstr("4,321 bytes"), HasSubstr("--chip")));
}

TEST(Price, OfPartsAddsUpToThatOfTheWhole) {
  Work a = work_of(Operation::add, Number::fp32, 11), b = work_of(Operation::mul, Number::fp32, 13);
  a.moved(Data::weights).read = 17;
  b.moved(Data::weights).written = 19;
  Work whole = a;
  whole += b;
  const Footprint footprint{.weights = 1000, .activations = 0, .caches = 0};
  const Chip chip = chip_with_memory();
  const Price of_a = price(chip, a, footprint), of_b = price(chip, b, footprint);
  const Price of_whole = price(chip, whole, footprint);
  EXPECT_DOUBLE_EQ(of_whole.arithmetic_picojoules,
                   of_a.arithmetic_picojoules + of_b.arithmetic_picojoules);
  EXPECT_DOUBLE_EQ(*of_whole.memory_picojoules(),
                   *of_a.memory_picojoules() + *of_b.memory_picojoules());
}

}  // namespace
}  // namespace eatt::energy
