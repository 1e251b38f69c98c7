#pragma once

#include <string>
#include <vector>

#include "training/run/trainer.h"

namespace eatt::cli {

// What to do with a training that has come to its end, in a few lines: where the model is, the
// command that translates with it (as it can be typed here and now), and how to train longer.
std::vector<std::string> next_steps(const TrainingPlan& plan);

}  // namespace eatt::cli
