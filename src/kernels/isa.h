#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::kernels {

// An instruction set that our kernels are compiled for.
struct Isa {
  std::string_view name;  // "avx512-amx", "avx512-vnni", "avx512", "avx2-vnni", "avx2", "sse4", …
  int64_t target;         // Highway's number for it.
  bool vnni = false;      // May use VNNI (NEON: sdot); with AVX-512, also what came with it.
  bool amx = false;       // May use VNNI and AMX tiles.
};

// Those this program was compiled for and this CPU can run, the best first; "scalar" is the last.
std::vector<Isa> supported_isas();

// The one in use: the best, or the one that EATT_FORCE_ISA names.
const Isa& chosen_isa() noexcept;

// Throws an Error if EATT_FORCE_ISA names none of supported_isas(). Kernels cannot throw and would
// use the best one, so call this before loading a model or training.
void check_forced_isa();

// Switches all kernels of the process to another instruction set for its lifetime; for tests and
// `eatt selftest`. Must not be used while kernels run.
class ForcedIsa {
 public:
  explicit ForcedIsa(const Isa& isa);
  ~ForcedIsa();
  ForcedIsa(const ForcedIsa&) = delete;
  ForcedIsa& operator=(const ForcedIsa&) = delete;

 private:
  Isa before_;
};

// Whether VNNI or AMX may be used. Asked by kernels compiled for instruction sets that may have
// them.
bool vnni_enabled() noexcept;
bool amx_enabled() noexcept;

// As Linux names it: "Intel(R) Xeon(R) Processor"; or "unknown".
std::string cpu_model_name();

}  // namespace eatt::kernels
