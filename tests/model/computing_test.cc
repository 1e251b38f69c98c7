#include "model/computing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace eatt {
namespace {

TEST(Blas, KnowsDebiansProvidersByTheirPaths) {
  const std::string lib = "/usr/lib/x86_64-linux-gnu/";
  EXPECT_EQ(blas_name_of_path(lib + "openblas-pthread/libblas.so.3"), "OpenBLAS");
  EXPECT_EQ(blas_name_of_path(lib + "openblas-openmp/libopenblasp-r0.3.21.so"), "OpenBLAS");
  EXPECT_EQ(blas_name_of_path(lib + "blis-pthread/libblis.so.4"), "BLIS");
  EXPECT_EQ(blas_name_of_path(lib + "blas/libblas.so.3.11.0"), "reference BLAS");
  EXPECT_EQ(blas_name_of_path("/opt/fast/libfast.so"), "unknown BLAS");
}

TEST(Blas, FindsTheLibraryThatServesLibtorch) {
  torch::mm(torch::ones({2, 2}), torch::ones({2, 2}));  // Keeps libtorch linked.
  const BlasLibrary blas = find_blas_library();
  EXPECT_NE(blas.name, "unknown BLAS") << blas.path;
  EXPECT_FALSE(blas.is_reference()) << "scripts/setup.sh installs OpenBLAS; found " << blas.path;
}

TEST(Blas, OldKernelsOnANewCpuAreReplaced) {
  EXPECT_EQ(better_openblas_kernels("Prescott", true, true), "SkylakeX");
  EXPECT_EQ(better_openblas_kernels("Prescott", true, false), "Haswell");
  EXPECT_EQ(better_openblas_kernels("Nehalem", false, false), "");
  EXPECT_EQ(better_openblas_kernels("Zen", true, true), "") << "its own choice is sound";
}

}  // namespace
}  // namespace eatt
