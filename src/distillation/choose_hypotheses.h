#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "distillation/distill_plan.h"

namespace eatt {

// Of each translation the hypothesis that a student learns from; null where --drop-cut leaves none.
// `references` has a line per translation and is looked at only if the choice depends on it. Of
// equally near hypotheses the better scored one is taken.
std::vector<const Hypothesis*> choose_hypotheses(std::span<const Translation> translations,
                                                 std::span<const std::string_view> references,
                                                 const DistillOptions& options);

}  // namespace eatt
