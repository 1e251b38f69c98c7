#include "model/computing.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/threads.h"

namespace eatt {
namespace {

// "[enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you
// tried to allocate 8000 bytes. Error code 12 (Cannot allocate memory)\nException raised from …"
[[noreturn]] void throw_plainly(const c10::Error& problem) {
  const std::string text = problem.what_without_backtrace();
  constexpr std::string_view kTried = "tried to allocate ";
  if (const size_t at = text.find(kTried); at != std::string::npos) {
    const size_t begin = at + kTried.size();
    throw Error(fmt::format("not enough memory: {} could not be allocated",
                            text.substr(begin, text.find_first_of(".\n", begin) - begin)));
  }
  throw Error(fmt::format("libtorch could not compute this: {}", text.substr(0, text.find('\n'))));
}

}  // namespace

std::string libtorch_version() { return TORCH_VERSION; }

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

double product_speed() {
  constexpr int kSize = 512;
  at::set_num_threads(thread_count());  // libtorch's own default in Debian is one thread.
  const auto a = torch::rand({kSize, kSize});
  const auto b = torch::rand({kSize, kSize});
  std::vector<double> seconds;
  for (int round = 0; round < 15; ++round) {
    const auto start = std::chrono::steady_clock::now();
    torch::mm(a, b);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + 7);
  return 2.0 * kSize * kSize * kSize / seconds[7] * 1e-9;
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

void run_with_plain_errors(const std::function<void()>& body) {
  try {
    body();
  } catch (const c10::Error& problem) {
    throw_plainly(problem);
  }
}

}  // namespace eatt
