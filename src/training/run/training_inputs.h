#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "text/data/data_set.h"
#include "text/pieces/pieces.h"
#include "training/run/run_folder.h"
#include "training/run/trainer.h"
#include "training/validation/validation_set.h"

namespace eatt {

// Everything a training reads, opened and checked against each other before anything is computed.
struct TrainingInputs {
  // Throws a UsageError or an Error that names the file or option at fault.
  TrainingInputs(const TrainingPlan& plan, const std::filesystem::path& data_set);

  DataSet data;
  Pieces source_pieces;
  Pieces target_pieces;
  std::optional<ValidationSet> valid;
  Architecture architecture;
};

// The data set of a plan. Prepares --train-sets in the run folder first, where none is given.
std::filesystem::path prepare_data(const TrainingPlan& plan, const RunFolder& run);

// Of the pairs and the vocabularies.
std::string data_digest(const TrainingInputs& inputs);

// Pairs that --max-length leaves out. Preparing text drops them; a prepared data set may have been
// made with a larger limit, and BatchStream leaves them out.
struct LongPairs {
  uint64_t left_out = 0;
  uint64_t all = 0;
};
// Throws a UsageError if nothing is left.
LongPairs count_long_pairs(const DataSet& data, const TrainingPlan& plan);

// Throws a UsageError for options that cannot go together, whatever the data.
void check_options(const TrainingPlan& plan);

// Throws an Error for text that is missing, or a dev set with unequal sides: before a run folder is
// made.
void check_files(const TrainingPlan& plan);

// Throws a UsageError with both values if a run that has begun in this folder had other options
// that would give other weights.
void compare_options(const RunFolder& run, const TrainingPlan& plan);

// Remembers options and data in a new run folder, and puts the actual vocabulary into the plan. In
// a folder that has been used, throws a UsageError with both values if something differs that would
// give other weights.
void begin_or_resume(const RunFolder& run, TrainingPlan& plan, const TrainingInputs& inputs);

// What a run folder says about its training beside what was asked for: languages, the vocabulary
// that it really has, and where its text lies.

// Languages that neither the recipe nor a flag gave are taken from the endings of the files:
// train.en and train.de, or those that a prepared data set was made of, or those of the dev set.
void fill_in_languages(TrainingPlan& plan);

// Compares the languages of a plan with the endings of its files and with the bundles it starts
// from. Throws a UsageError if source and target are swapped somewhere.
void check_plan_languages(const TrainingPlan& plan);

// Whether the run in this folder was started with a dev set, and with a teacher.
bool validates(const std::filesystem::path& run);
bool has_teacher(const std::filesystem::path& run);

// A prepared data set brings its vocabulary: --vocab-size and --joint-vocab become what it has.
void take_vocabulary_of(const TrainingInputs& inputs, TrainingPlan& plan);

// {"train_sets": ["/data/train.en", …], "valid_sets": […], "source_vocabulary": 8000, …}
nlohmann::json describe_data(const TrainingPlan& plan, const TrainingInputs& inputs);

}  // namespace eatt
