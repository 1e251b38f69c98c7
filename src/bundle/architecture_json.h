#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/text/json.h"
#include "bundle/architecture.h"

namespace eatt {

// The object `architecture` of config.json. Reading refuses unknown keys: they would change what
// the weights mean. The result is validated.
Architecture read_architecture(const JsonNode& node, const JsonOrigin& origin);
nlohmann::ordered_json print_architecture(const Architecture& architecture);

}  // namespace eatt
