#pragma once

#include <string>
#include <vector>

#include "text/corpus/pair_reader.h"

namespace eatt::cli {

// What --train-sets SRC TGT … and --tsv FILE … name. Throws a UsageError if a source has no target.
std::vector<PairInput> pair_inputs(const std::vector<std::string>& train_sets,
                                   const std::vector<std::string>& tsv);

}  // namespace eatt::cli
