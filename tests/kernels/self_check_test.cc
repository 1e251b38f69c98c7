#include "kernels/self_check.h"

#include <cmath>

#include "kernels/kernel_testing.h"

namespace eatt::kernels {
namespace {

TEST(SelfCheck, FindsNothingWrongOnAnyInstructionSetOfThisCpu) {
  on_each_isa([] {
    for (const KernelCheck& check : check_kernels()) {
      EXPECT_TRUE(check.ok()) << check.name << " differs by " << check.difference;
    }
  });
}

TEST(SelfCheck, NotANumberIsAFailure) {
  const KernelCheck check = {"any", std::nan(""), 1.0};
  EXPECT_FALSE(check.ok());
}

}  // namespace
}  // namespace eatt::kernels
