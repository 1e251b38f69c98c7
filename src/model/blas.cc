#include "model/blas.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/threads.h"

namespace eatt {

std::string blas_name_of_path(const std::string& path) {
  // "openblas" goes before "blas": /usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3
  constexpr std::array<std::pair<const char*, const char*>, 5> kNames = {
      {{"openblas", "OpenBLAS"},
       {"blis", "BLIS"},
       {"mkl", "MKL"},
       {"atlas", "ATLAS"},
       {"/blas/", "reference BLAS"}}};
  for (const auto& [part, name] : kNames) {
    if (path.find(part) != std::string::npos) return name;
  }
  return "unknown BLAS";
}

BlasLibrary find_blas_library() {
  // The symbol libtorch's products end in, wherever the dynamic linker found it.
  void* symbol = ::dlsym(RTLD_DEFAULT, "sgemm_");
  Dl_info info{};
  if (symbol == nullptr || ::dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) {
    return {"unknown BLAS", ""};
  }
  std::error_code ignored;
  const std::string path = std::filesystem::canonical(info.dli_fname, ignored).string();
  return {blas_name_of_path(path), path};
}

int worker_count() { return std::min(thread_count(), 8); }

void set_up_computing() {
  const int threads = std::max(thread_count() / worker_count(), 1);  // Of each worker.
  at::set_num_threads(threads);
  if (void* symbol = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(symbol)(threads);
  }
  // Moments of words that are never seen decay into denormals, which are slow.
  at::globalContext().setFlushDenormal(true);
  // A step makes and drops tensors of many megabytes; fresh pages for each cost a third of its
  // time.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

std::string better_openblas_kernels(std::string_view chosen, bool has_avx2, bool has_avx512) {
  constexpr std::array<std::string_view, 6> kOldKernels = {"Prescott",   "Core2",   "Penryn",
                                                           "Dunnington", "Nehalem", "Atom"};
  if (std::ranges::find(kOldKernels, chosen) == kOldKernels.end()) return {};
  if (has_avx512) return "SkylakeX";
  return has_avx2 ? "Haswell" : "";
}

void restart_with_better_blas(char** argv) {
  constexpr char kVariable[] = "OPENBLAS_CORETYPE";
  if (std::getenv(kVariable) != nullptr) return;
  void* symbol = ::dlsym(RTLD_DEFAULT, "openblas_get_corename");
  if (symbol == nullptr) return;
  const auto chosen = reinterpret_cast<const char* (*)()>(symbol)();
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  const auto better = better_openblas_kernels(chosen, __builtin_cpu_supports("avx2"), avx512);
#else
  const std::string better;
#endif
  if (better.empty() || ::setenv(kVariable, better.c_str(), /*overwrite=*/1) != 0) return;
  ::execv("/proc/self/exe", argv);  // On failure training is slow, not wrong.
}

}  // namespace eatt
