#include "energy/kinds.h"

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

std::string_view name_of(Part part) {
  static constexpr std::array<std::string_view, kParts.size()> kNames = {
      "query", "key", "scores", "value", "context", "output", "ffn"};
  return pick(part, kNames);
}

std::string_view name_of(Level level) {
  static constexpr std::array<std::string_view, kLevels.size()> kNames = {"alignment", "attention",
                                                                          "block"};
  return pick(level, kNames);
}

std::string_view name_of(Role role) {
  static constexpr std::array<std::string_view, kRoles.size()> kNames = {"enc-self", "dec-self",
                                                                         "cross"};
  return pick(role, kNames);
}

std::string_view name_of(Accounting accounting) {
  static constexpr std::array<std::string_view, kAccountings.size()> kNames = {"paper", "exact"};
  return pick(accounting, kNames);
}

Level level_of(Part part) {
  switch (part) {
    case Part::query:
    case Part::key:
    case Part::scores:
      return Level::alignment;
    case Part::value:
    case Part::context:
      return Level::attention;
    case Part::output:
    case Part::ffn:
      return Level::block;
  }
  throw InternalError("a part without a level");
}

}  // namespace eatt::energy
