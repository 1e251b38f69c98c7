#pragma once

#include <string>

#include "training_step.h"

namespace eatt {

// Runs `steps` updates and tells where their time goes, as a table for people: milliseconds of an
// update and per cent, by kind of work; then the speed of the matrix products beside that of one
// large sgemm in the same process.
std::string profile_steps(TrainingStep& step, int steps);

}  // namespace eatt
