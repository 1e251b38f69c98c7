#pragma once

#include <cstddef>
#include <string>
#include <vector>

// The products of floats that our kernels are compared with: whatever BLAS libraries the machine
// has. They are opened at run time, so that no benchmark needs them to build.
namespace eatt::bench {

// Single-precision products of one library, on one thread.
class Sgemm {
 public:
  enum class Library { openblas, onednn };

  Sgemm(Library library, std::string name, void* function)
      : library_(library), name_(std::move(name)), function_(function) {}

  // With the kernels it chose, where it tells: "OpenBLAS (SkylakeX)", "oneDNN".
  const std::string& name() const { return name_; }

  // c [m, n] = a [m, k] · b [n, k]ᵀ; lda, ldb and ldc are the distances of rows.
  void row_major_nt(size_t m, size_t n, size_t k, const float* a, size_t lda, const float* b,
                    size_t ldb, float* c, size_t ldc) const {
    multiply(/*transpose_b=*/true, m, n, k, a, lda, b, ldb, c, ldc);
  }

  // c [m, n] = a [m, k] · b [k, n].
  void row_major_nn(size_t m, size_t n, size_t k, const float* a, size_t lda, const float* b,
                    size_t ldb, float* c, size_t ldc) const {
    multiply(/*transpose_b=*/false, m, n, k, a, lda, b, ldb, c, ldc);
  }

 private:
  void multiply(bool transpose_b, size_t m, size_t n, size_t k, const float* a, size_t lda,
                const float* b, size_t ldb, float* c, size_t ldc) const;

  Library library_;
  std::string name_;
  void* function_;
};

// Those found on this machine, set to one thread; none may be there.
// OpenBLAS must be told about CPUs that it does not know, before it is loaded: see selection.sh.
const std::vector<Sgemm>& available_sgemms();

}  // namespace eatt::bench
