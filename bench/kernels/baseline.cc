#include "baseline.h"

#include <dlfcn.h>

#include <cstdint>

namespace eatt::bench {
namespace {

// cblas.h's and dnnl.h's functions, as far as they are used here.
enum CblasOrder { kCblasRowMajor = 101 };
enum CblasTranspose { kCblasNoTrans = 111, kCblasTrans = 112 };
using CblasSgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const float* a, int lda, const float* b, int ldb,
                            float beta, float* c, int ldc);
using DnnlSgemm = int (*)(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k,
                          float alpha, const float* a, int64_t lda, const float* b, int64_t ldb,
                          float beta, float* c, int64_t ldc);

void* open_first(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void set_threads_to_one(void* library, const char* function) {
  if (void* set = ::dlsym(library, function)) reinterpret_cast<void (*)(int)>(set)(1);
}

void add_openblas(std::vector<Sgemm>& found) {
  void* library = open_first({"libopenblas.so.0", "libblas.so.3"});
  void* sgemm = library == nullptr ? nullptr : ::dlsym(library, "cblas_sgemm");
  if (sgemm == nullptr) return;
  set_threads_to_one(library, "openblas_set_num_threads");
  std::string name = "BLAS";
  if (void* core = ::dlsym(library, "openblas_get_corename")) {
    name = std::string("OpenBLAS (") + reinterpret_cast<char* (*)()>(core)() + ")";
  }
  found.emplace_back(Sgemm::Library::openblas, name, sgemm);
}

void add_onednn(std::vector<Sgemm>& found) {
  void* library = open_first({"libdnnl.so.2", "libdnnl.so.3"});
  void* sgemm = library == nullptr ? nullptr : ::dlsym(library, "dnnl_sgemm");
  if (sgemm == nullptr) return;
  set_threads_to_one(library, "omp_set_num_threads");
  found.emplace_back(Sgemm::Library::onednn, "oneDNN", sgemm);
}

}  // namespace

void Sgemm::multiply(bool transpose_b, size_t m, size_t n, size_t k, const float* a, size_t lda,
                     const float* b, size_t ldb, float* c, size_t ldc) const {
  if (library_ == Library::openblas) {
    const auto as_int = [](size_t size) { return static_cast<int>(size); };
    reinterpret_cast<CblasSgemm>(function_)(
        kCblasRowMajor, kCblasNoTrans, transpose_b ? kCblasTrans : kCblasNoTrans, as_int(m),
        as_int(n), as_int(k), 1.0f, a, as_int(lda), b, as_int(ldb), 0.0f, c, as_int(ldc));
    return;
  }
  const auto as_dim = [](size_t size) { return static_cast<int64_t>(size); };
  reinterpret_cast<DnnlSgemm>(function_)('N', transpose_b ? 'T' : 'N', as_dim(m), as_dim(n),
                                         as_dim(k), 1.0f, a, as_dim(lda), b, as_dim(ldb), 0.0f, c,
                                         as_dim(ldc));
}

const std::vector<Sgemm>& available_sgemms() {
  static const std::vector<Sgemm> sgemms = [] {
    std::vector<Sgemm> found;
    add_openblas(found);
    add_onednn(found);
    return found;
  }();
  return sgemms;
}

}  // namespace eatt::bench
