#pragma once

#include <nlohmann/json_fwd.hpp>

#include "training/run/trainer.h"
#include "training/run/training_inputs.h"

namespace eatt {

// What a run folder says about its training beside what was asked for: languages, the vocabulary
// that it really has, and where its text lies.

// Languages that neither the recipe nor a flag gave are taken from the endings of the files:
// train.en and train.de, or those that a prepared data set was made of, or those of the dev set.
void fill_in_languages(TrainingPlan& plan);

// Compares the languages of a plan with the endings of its files and with the bundles it starts
// from. Throws a UsageError if source and target are swapped somewhere.
void check_plan_languages(const TrainingPlan& plan);

// A prepared data set brings its vocabulary: --vocab-size and --joint-vocab become what it has.
void take_vocabulary_of(const TrainingInputs& inputs, TrainingPlan& plan);

// {"train_sets": ["/data/train.en", …], "valid_sets": […], "source_vocabulary": 8000, …}
nlohmann::json describe_data(const TrainingPlan& plan, const TrainingInputs& inputs);

}  // namespace eatt
