#pragma once

#include <string>

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

}  // namespace eatt
