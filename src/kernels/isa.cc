#include "kernels/isa.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "base/error.h"

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

std::vector<Isa> find_isas() {
  std::vector<Isa> isas;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (target == HWY_AVX3 && cpu_has_vnni()) isas.push_back({"avx512-vnni", target, true});
    isas.push_back({name_of(target), target, false});
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

ForcedIsa::ForcedIsa(const Isa& isa) : before_(current_isa()) {
  current_isa() = isa;
  use(isa);
}

ForcedIsa::~ForcedIsa() {
  current_isa() = before_;
  use(before_);
}

}  // namespace eatt::kernels
