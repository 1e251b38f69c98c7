#pragma once

#include "energy_report/model_account.h"

namespace eatt::energy {

// What greedy search of one sentence would do whose source and translation both have `length`
// positions, end markers counted: with the densities and the number of columns that the model's own
// text had in the mean. For figures over lengths that nobody translates.
Activity activity_of_length(const ModelAccount& account, uint64_t length);

}  // namespace eatt::energy
