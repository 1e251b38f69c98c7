#include "kernels/isa.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "base/error.h"
#if HWY_ARCH_X86_64 && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace eatt::kernels {
namespace {

std::string name_of(int64_t target) {
  switch (target) {
    case HWY_AVX3:
      return "avx512";
    case HWY_AVX2:
      return "avx2";
    case HWY_SSE4:
      return "sse4";
    case HWY_NEON:
      return "neon";
    default:
      return "scalar";
  }
}

bool cpu_has_vnni() {
#if HWY_ARCH_X86
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

// Whether the CPU has tiles of bytes and Linux lets this process use them: their registers are so
// large that a process must ask. Asked once; holds for all threads.
bool amx_is_granted() {
#if HWY_ARCH_X86_64 && defined(__linux__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kTiles = 1u << 24, kTilesOfBytes = 1u << 25;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kTiles) == 0 || (edx & kTilesOfBytes) == 0) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

std::vector<Isa> find_isas() {
  std::vector<Isa> isas;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (target == HWY_AVX3 && cpu_has_vnni()) {
      if (amx_is_granted()) isas.push_back({"avx512-amx", target, true, true});
      isas.push_back({"avx512-vnni", target, true});
    }
    isas.push_back({name_of(target), target});
  }
  return isas;
}

// Before anything narrows what Highway reports: later lists would be narrowed too.
const std::vector<Isa>& all_isas() {
  static const std::vector<Isa> isas = find_isas();
  return isas;
}

Isa first_choice() {
  const char* forced = std::getenv("EATT_FORCE_ISA");
  if (forced == nullptr || *forced == '\0') return all_isas().front();
  std::string names;
  for (const Isa& isa : all_isas()) {
    if (isa.name == forced) return isa;
    names += (names.empty() ? "" : ", ") + isa.name;
  }
  throw Error(
      fmt::format("EATT_FORCE_ISA is '{}', which this CPU or build does not have; use one of: {}",
                  forced, names));
}

void use(const Isa& isa) {
  hwy::SetSupportedTargetsForTest(isa.target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

Isa& current_isa() {
  static Isa isa = [] {
    Isa first = first_choice();
    use(first);
    return first;
  }();
  return isa;
}

}  // namespace

std::vector<Isa> supported_isas() { return all_isas(); }

const Isa& chosen_isa() { return current_isa(); }

bool vnni_enabled() { return current_isa().vnni; }

bool amx_enabled() { return current_isa().amx; }

ForcedIsa::ForcedIsa(const Isa& isa) : before_(current_isa()) {
  current_isa() = isa;
  use(isa);
}

ForcedIsa::~ForcedIsa() {
  current_isa() = before_;
  use(before_);
}

}  // namespace eatt::kernels
