#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bundle/bundle.h"
#include "energy/activity.h"
#include "energy/chip.h"

namespace eatt::serving {

// The energy of an activity on a chip, as /v1/translate tells it.
struct EnergyAnswer {
  nlohmann::ordered_json json;
  std::optional<double> arithmetic_joules;  // Of the model; nothing if the chip cannot price it.
};
EnergyAnswer energy_answer(const energy::Chip& chip, const Architecture& architecture,
                           Precision precision, const energy::Activity& activity);

}  // namespace eatt::serving
