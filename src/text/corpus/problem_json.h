#pragma once

#include <nlohmann/json_fwd.hpp>

#include "text/corpus/pair_problem.h"

namespace eatt {

// ProblemCounts as JSON: {"invalid_utf8": {"count": 12, "file": "train.en", "line": 17}, …}, only
// what was met. For the sources of data sets and of preparation; no other header includes JSON.
nlohmann::ordered_json problems_to_json(const ProblemCounts& problems);
ProblemCounts problems_from_json(const nlohmann::ordered_json& json);

}  // namespace eatt
