#pragma once

#include <nlohmann/json_fwd.hpp>

#include "energy/ledger.h"

namespace eatt::energy {

// An array of the ledger's lines in their order: {"stack", "layer", "sub_layer", "duty",
// "operations": {"add": {"int32": N, …}, …}, "bytes": {"weights": {"read": N, "written": N}, …}}.
// What is zero is left out.
nlohmann::ordered_json ledger_json(const Ledger& ledger);

}  // namespace eatt::energy
