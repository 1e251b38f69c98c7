#include "model/blas.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <utility>

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

}  // namespace eatt
