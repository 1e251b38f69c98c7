#include "energy/kinds.h"

#include <algorithm>

#include "base/error.h"

namespace eatt::energy {
namespace {

// `names` stands in the order of the enumeration.
template <typename Kind, size_t size>
std::string_view pick(Kind kind, const std::array<std::string_view, size>& names) {
  const auto index = static_cast<size_t>(kind);
  expects(index < size, "every kind has a name");
  return names[index];
}

}  // namespace

std::string_view name_of(Mechanism mechanism) { return mechanism_name(mechanism); }

std::string_view name_of(Level level) {
  static constexpr std::array<std::string_view, kLevels.size()> kNames = {"alignment", "attention",
                                                                          "block"};
  return pick(level, kNames);
}

std::string_view name_of(Accounting accounting) {
  static constexpr std::array<std::string_view, kAccountings.size()> kNames = {"paper", "exact"};
  return pick(accounting, kNames);
}

bool is_in_a_block(Duty duty) {
  return std::ranges::find(kBlockDuties, duty) != kBlockDuties.end();
}

Level level_of(Duty duty) {
  expects(is_in_a_block(duty), "levels are made of the duties of a block");
  if (duty == Duty::query || duty == Duty::key || duty == Duty::scores) return Level::alignment;
  return duty == Duty::value || duty == Duty::context ? Level::attention : Level::block;
}

}  // namespace eatt::energy
