#include "cli/corpus/pair_inputs.h"

#include <fmt/format.h>

#include "base/error.h"

namespace eatt::cli {

std::vector<PairInput> pair_inputs(const std::vector<std::string>& train_sets,
                                   const std::vector<std::string>& tsv) {
  if (train_sets.size() % 2 != 0) {
    throw UsageError(fmt::format("--train-sets has {} files; expected pairs of source and target",
                                 train_sets.size()));
  }
  std::vector<PairInput> inputs;
  for (size_t i = 0; i < train_sets.size(); i += 2) {
    inputs.push_back({train_sets[i], train_sets[i + 1]});
  }
  for (const std::string& file : tsv) inputs.push_back({file, {}});
  return inputs;
}

}  // namespace eatt::cli
