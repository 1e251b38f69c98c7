#pragma once

#include <string>
#include <string_view>

#include "base/options.h"
#include "training/options/training_options.h"

namespace eatt {

// One key of recipes, which is also the flag --NAME: the single list behind the command line,
// recipes, --dump-config and the check on resuming.
using TrainingOption = OptionField<TrainingOptions>;
const OptionTable<TrainingOptions>& training_option_table();

// Whether a run that has begun may go on with another value: it may if only the course of the run
// changes (how long, how often, what is kept), not if other weights would come out.
bool may_change_on_resume(const TrainingOption& option);

// "2000u", "3e"; "0u" is never. A bare number means updates. Throws a UsageError naming `option`.
Extent parse_extent(std::string_view text, std::string_view option);
std::string print_extent(Extent extent);

}  // namespace eatt
