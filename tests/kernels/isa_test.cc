#include "kernels/isa.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace eatt::kernels {
namespace {

TEST(InstructionSet, ScalarIsAlwaysThereAndTheLastChoice) {
  ASSERT_FALSE(supported_isas().empty());
  EXPECT_EQ(supported_isas().back().name, "scalar");
}

TEST(InstructionSet, ForcingOneLastsAsLongAsItsScope) {
  const std::string before = chosen_isa().name;
  {
    const ForcedIsa forced(supported_isas().back());
    EXPECT_EQ(chosen_isa().name, supported_isas().back().name);
    EXPECT_FALSE(vnni_enabled());
  }
  EXPECT_EQ(chosen_isa().name, before);
}

TEST(InstructionSet, WithTilesHasAllThatVectorsHaveAndComesFirst) {
  for (const Isa& isa : supported_isas()) {
    if (!isa.amx) continue;
    EXPECT_TRUE(isa.vnni);
    EXPECT_EQ(isa.name, supported_isas().front().name);
    const ForcedIsa forced(isa);
    EXPECT_TRUE(amx_enabled());
  }
  const ForcedIsa scalar(supported_isas().back());
  EXPECT_FALSE(amx_enabled());
}

TEST(InstructionSet, TheListStaysWholeWhileOneIsForced) {
  const size_t count = supported_isas().size();
  const ForcedIsa forced(supported_isas().back());
  EXPECT_EQ(supported_isas().size(), count);
}

}  // namespace
}  // namespace eatt::kernels
