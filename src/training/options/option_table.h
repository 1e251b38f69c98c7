#pragma once

#include <string>
#include <string_view>

#include "base/options.h"
#include "training/options/training_options.h"

namespace eatt {

// A key of recipes, which is also the flag --NAME. Command line, recipes, --dump-config and the
// check on resuming all use this table.
using TrainingOption = OptionField<TrainingOptions>;
const OptionTable<TrainingOptions>& training_option_table();

// Whether a run may be resumed with another value of this option: yes for how long to train, how
// often to report and what to keep; no for whatever changes the weights.
bool may_change_on_resume(const TrainingOption& option);

// "2000u", "3e"; "0u" is never. A bare number means updates. Throws a UsageError naming `option`.
Extent parse_extent(std::string_view text, std::string_view option);
std::string print_extent(Extent extent);

}  // namespace eatt
