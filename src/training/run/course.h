#pragma once

#include "training/distributed/process_group.h"
#include "training/run/run_folder.h"
#include "training/run/trainer.h"
#include "training/run/training_inputs.h"

namespace eatt {

// The updates of a training, from its first or next one to its last, with everything that happens
// between them: progress lines, validation, checkpoints, skipped updates and returns to a
// checkpoint. The folder has been checked and belongs to this training. In a group of workers, all
// run the same course, and the first alone has the folder; the others give null.
TrainingEnd run_course(const TrainingPlan& plan, const RunFolder* run, const TrainingInputs& inputs,
                       ProcessGroup* group);

}  // namespace eatt
