#pragma once

#include "training/run/checkpoint.h"
#include "training/run/run_folder.h"
#include "training/run/training_inputs.h"

// What the log says about the milestones of a training, for people and for programs.
namespace eatt {

// Logs what is trained on what; returns the event "started".
nlohmann::json announce_training(const TrainingOptions& options, const TrainingInputs& inputs,
                                 uint64_t pairs, int workers);

// A validation whose score the state has noted; `better`: it is the best so far.
ProgressReport::Line validation_line(const TrainingState& state, const ValidationScores& scores,
                                     bool better);

// "stopping early: 5 validations without a better bleu (--early-stopping 5)"
std::string early_stop_text(const TrainingState& state, const TrainingOptions& options);

ProgressReport::Line finished_line(const TrainingState& state, ValidMetric metric, double epochs);

}  // namespace eatt
