#pragma once

#include <string>
#include <string_view>

namespace eatt {

// Which library does libtorch's matrix products: Debian lets several provide libblas.so.3, and a
// bare system gets the reference one, many times slower than OpenBLAS.
struct BlasLibrary {
  std::string name;  // "OpenBLAS", "BLIS", "MKL", "ATLAS", "reference BLAS", or "unknown BLAS"
  std::string path;  // The file that serves sgemm in this process; empty if it cannot be told.
  bool is_reference() const { return name == "reference BLAS"; }
};

BlasLibrary find_blas_library();

// The name a library file of this path stands for; here so that it can be tested.
std::string blas_name_of_path(const std::string& path);

// Side by side, this many models or batches are computed in training, each on its own thread: small
// products and element-wise steps do not gain from being split among threads, whole batches do.
int worker_count();

// Prepares libtorch and the library of its products, which has a pool of its own, for
// worker_count() workers; and keeps memory instead of giving it back to the system after every
// operation. Call it before the first tensor is made.
void set_up_computing();

// OpenBLAS picks its kernels by the CPU's model number, and takes those of a Pentium 4 for one that
// is newer than itself: five times slower. Given the kernels it chose ("Prescott") and what the CPU
// can do, the name of better ones for OPENBLAS_CORETYPE; empty if its choice is sound.
std::string better_openblas_kernels(std::string_view chosen, bool has_avx2, bool has_avx512);

// Starts the program anew with better kernels, where the loaded OpenBLAS chose badly and the user
// said nothing: it reads OPENBLAS_CORETYPE only while being loaded. Call it first in main().
void restart_with_better_blas(char** argv);

}  // namespace eatt
