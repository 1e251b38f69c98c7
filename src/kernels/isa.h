#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eatt::kernels {

// An instruction set our kernels exist for.
struct Isa {
  std::string name;   // "avx512-amx", "avx512-vnni", "avx512", "avx2", "sse4", "neon" or "scalar"
  int64_t target;     // Highway's number of it
  bool vnni = false;  // With what came to AVX-512 together with VNNI
  bool amx = false;   // With VNNI and tiles of bytes, which the system has granted
};

// What this program was compiled for and this CPU can run, the best first; "scalar" is the last.
std::vector<Isa> supported_isas();

// The one in use: the best, or what EATT_FORCE_ISA names. Throws an Error if that names none of
// supported_isas().
const Isa& chosen_isa();

// Switches all kernels of the process to another instruction set for its life; for tests and for
// `eatt selftest`. Not while kernels run.
class ForcedIsa {
 public:
  explicit ForcedIsa(const Isa& isa);
  ~ForcedIsa();
  ForcedIsa(const ForcedIsa&) = delete;
  ForcedIsa& operator=(const ForcedIsa&) = delete;

 private:
  Isa before_;
};

// Whether VNNI may be used. Only kernels compiled for AVX-512 ask.
bool vnni_enabled();

// Whether AMX may be used, likewise.
bool amx_enabled();

}  // namespace eatt::kernels
