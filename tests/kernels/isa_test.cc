#include "kernels/isa.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

#include "support/run.h"
#endif

namespace eatt::kernels {
namespace {

TEST(InstructionSet, ScalarIsAlwaysThereAndTheLastChoice) {
  ASSERT_FALSE(supported_isas().empty());
  EXPECT_EQ(supported_isas().back().name, "scalar");
}

TEST(InstructionSet, ForcingOneLastsAsLongAsItsScope) {
  const std::string_view before = chosen_isa().name;
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

TEST(InstructionSet, AnUnknownNameInTheEnvironmentIsAnError) {
  EXPECT_NO_THROW(check_forced_isa());
  ::setenv("EATT_FORCE_ISA", "mmx", /*overwrite=*/1);
  EXPECT_THAT(check_forced_isa, ::testing::ThrowsMessage<Error>(::testing::AllOf(
                                    ::testing::HasSubstr("EATT_FORCE_ISA is 'mmx'"),
                                    ::testing::HasSubstr("scalar"))));
  ::setenv("EATT_FORCE_ISA", "scalar", /*overwrite=*/1);
  EXPECT_NO_THROW(check_forced_isa());
  ::unsetenv("EATT_FORCE_ISA");
}

#if defined(__x86_64__) && defined(__linux__)
// Whether this process may use AMX tiles.
bool amx_is_permitted() {
  constexpr long kPermittedFeatures = 0x1022, kTileData = 18;  // Of arch_prctl.
  uint64_t features = 0;
  return ::syscall(SYS_arch_prctl, kPermittedFeatures, &features) == 0 &&
         (features >> kTileData & 1) != 0;
}

TEST(InstructionSet, PermissionForAmxIsOnlyRequestedWhereItIsUsed) {
  if (!supported_isas().front().amx) GTEST_SKIP() << "no AMX here";
  const auto own_path = std::filesystem::read_symlink("/proc/self/exe");
  const testing::RunResult result = testing::run(
      "/usr/bin/env", {"EATT_FORCE_ISA=avx2", own_path.string(), "--gtest_also_run_disabled_tests",
                       "--gtest_filter=*.DISABLED_UnderALowerOne"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  const ForcedIsa forced(supported_isas().front());
  EXPECT_TRUE(amx_is_permitted());
}

// Run by the test above in a process of its own.
TEST(InstructionSet, DISABLED_UnderALowerOne) {
  EXPECT_EQ(chosen_isa().name, "avx2");
  EXPECT_TRUE(supported_isas().front().amx);
  EXPECT_FALSE(amx_is_permitted());
}
#endif

}  // namespace
}  // namespace eatt::kernels
