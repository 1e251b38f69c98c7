#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "evaluation/metric.h"

namespace eatt::evaluation {

// nrefs:1|bs:1000|seed:12345|DETAILS|version:eatt-0.1.0, as sacreBLEU writes it up to |version:.
std::string make_signature(size_t references, const std::optional<Resampling>& resampling,
                           std::string_view details);

}  // namespace eatt::evaluation
