#include "kernels/isa.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#if HWY_ARCH_X86
#include <cpuid.h>
#endif
#if HWY_ARCH_ARM_A64 && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#if HWY_ARCH_X86_64 && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace eatt::kernels {
namespace {

// All instruction sets that kernels can be compiled for, the best first.
constexpr Isa kIsas[] = {
    {"avx512-amx", HWY_AVX3, /*vnni=*/true, /*amx=*/true},
    {"avx512-vnni", HWY_AVX3, /*vnni=*/true},
    {"avx512", HWY_AVX3},
    {"avx2-vnni", HWY_AVX2, /*vnni=*/true},
    {"avx2", HWY_AVX2},
    {"sse4", HWY_SSE4},
    {"neon-dot", HWY_NEON, /*vnni=*/true},
    {"neon", HWY_NEON},
    {"scalar", HWY_SCALAR},
};

// VNNI comes in two forms: as one of the AVX-512 extensions, and for AVX2 on its own. What arm64
// calls dot products counts as VNNI, too.
bool cpu_has_vnni([[maybe_unused]] int64_t target) {
#if HWY_ARCH_X86
  if (target == HWY_AVX3) return __builtin_cpu_supports("avx512vnni") != 0;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kAvxVnni = 1u << 4;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvxVnni) != 0;
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
  return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

#if HWY_ARCH_X86_64 && defined(__linux__)
constexpr long kSupportedFeatures = 0x1021, kRequestPermission = 0x1023;  // Of arch_prctl.
constexpr long kTileData = 18;                                            // The feature's number.

bool amx_is_supported() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kTiles = 1u << 24, kInt8Tiles = 1u << 25;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kTiles) == 0 || (edx & kInt8Tiles) == 0) return false;
  uint64_t features = 0;
  return ::syscall(SYS_arch_prctl, kSupportedFeatures, &features) == 0 &&
         (features >> kTileData & 1) != 0;
}

// Tile registers are so large that Linux asks every process to request them, once for all threads.
bool amx_is_granted() {
  static const bool granted = ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}
#else
bool amx_is_supported() { return false; }
bool amx_is_granted() { return false; }
#endif

// What Highway compiled and found on this CPU, before ForcedIsa narrows it.
int64_t all_targets() {
  static const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return targets;
}

bool is_supported(const Isa& isa) {
  if ((all_targets() & isa.target) == 0) return false;
  return (!isa.vnni || cpu_has_vnni(isa.target)) && (!isa.amx || amx_is_supported());
}

const char* forced_name() {
  const char* name = std::getenv("EATT_FORCE_ISA");
  return name == nullptr || *name == '\0' ? nullptr : name;
}

// The supported one of this name, or null.
const Isa* find_isa(std::string_view name) {
  for (const Isa& isa : kIsas) {
    if (isa.name == name && is_supported(isa)) return &isa;
  }
  return nullptr;
}

// Permission for AMX is requested here, where it is about to be used, and not before.
bool is_ready(const Isa& isa) { return is_supported(isa) && (!isa.amx || amx_is_granted()); }

Isa first_choice() {
  const Isa* forced = forced_name() == nullptr ? nullptr : find_isa(forced_name());
  if (forced != nullptr && is_ready(*forced)) return *forced;
  for (const Isa& isa : kIsas) {
    if (is_ready(isa)) return isa;
  }
  return kIsas[std::size(kIsas) - 1];
}

void use(const Isa& isa) {
  hwy::SetSupportedTargetsForTest(isa.target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Neither throws nor allocates: kernels call it.
Isa& current_isa() noexcept {
  static Isa isa = [] {
    const Isa first = first_choice();
    use(first);
    return first;
  }();
  return isa;
}

}  // namespace

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const Isa& isa : kIsas) {
    if (is_supported(isa)) isas.push_back(isa);
  }
  return isas;
}

const Isa& chosen_isa() noexcept { return current_isa(); }

void check_forced_isa() {
  const char* forced = forced_name();
  if (forced == nullptr || find_isa(forced) != nullptr) return;
  std::string names;
  for (const Isa& isa : supported_isas()) {
    names += (names.empty() ? "" : ", ") + std::string(isa.name);
  }
  throw Error(
      fmt::format("EATT_FORCE_ISA is '{}', which this CPU or build does not have; use one of: {}",
                  forced, names));
}

bool vnni_enabled() noexcept { return current_isa().vnni; }

bool amx_enabled() noexcept { return current_isa().amx; }

ForcedIsa::ForcedIsa(const Isa& isa) : before_(current_isa()) {
  current_isa() = isa;
  current_isa().amx = isa.amx && amx_is_granted();
  use(isa);
}

ForcedIsa::~ForcedIsa() {
  current_isa() = before_;
  use(before_);
}

std::string cpu_model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "unknown" : line.substr(value);
  }
  return "unknown";
}

}  // namespace eatt::kernels
