#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// How libtorch computes on this machine: its version, its matrix products, its threads, its errors.
// Free of libtorch's headers, for programs that only start a training.
namespace eatt {

std::string libtorch_version();

// Which library does libtorch's matrix products: Debian lets several provide libblas.so.3, and a
// bare system gets the reference one, many times slower than OpenBLAS.
struct BlasLibrary {
  std::string name;  // "OpenBLAS", "BLIS", "MKL", "ATLAS", "reference BLAS", or "unknown BLAS"
  std::string path;  // The file that serves sgemm in this process; empty if unknown.
  bool is_reference() const { return name == "reference BLAS"; }
};

BlasLibrary find_blas_library();

// The name that a library file of this path stands for.
std::string blas_name_of_path(const std::string& path);

// Median speed of a 512×512×512 product with the process's threads, in GFLOP/s.
double product_speed();

// This many models or batches are computed side by side in training, each on its own thread: small
// products and element-wise steps do not gain from being split among threads, whole batches do.
int worker_count();

// Prepares libtorch and the library of its products, which has a pool of its own, for
// worker_count() workers; and keeps memory instead of giving it back to the system after every
// operation. Call it before the first tensor is made.
void set_up_computing();

// OpenBLAS picks its kernels by the CPU's model number, and takes those of a Pentium 4 for one that
// is newer than itself: five times slower. Given the kernels it chose ("Prescott") and what the CPU
// can do, the name of better ones for OPENBLAS_CORETYPE; empty if its choice is good.
std::string better_openblas_kernels(std::string_view chosen, bool has_avx2, bool has_avx512);

// Restarts the program with better kernels if the loaded OpenBLAS chose badly and the user did not
// choose: it reads OPENBLAS_CORETYPE only while being loaded. Call it first in main().
void restart_with_better_blas(char** argv);

// Runs `body`. An exception of libtorch becomes an Error with one sentence for the user, without
// stack traces.
void run_with_plain_errors(const std::function<void()>& body);

// The same, and returns what `body` returns.
template <typename Body>
auto with_plain_errors(const Body& body) {
  if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
    run_with_plain_errors(body);
  } else {
    std::optional<std::invoke_result_t<Body>> result;
    run_with_plain_errors([&] { result.emplace(body()); });
    return std::move(*result);
  }
}

}  // namespace eatt
