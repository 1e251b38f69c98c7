#pragma once

#include <string_view>
#include <vector>

#include "study/study.h"

// What a study's folder says about how it was made, and the work before its first cell.
namespace eatt::study {

// Throws an Error if the folder has cells that were trained on other text, with another recipe or
// with other options, so that they could not be compared; or if it holds files that no study made.
// Files are compared by their content. Scores of another test set or search are removed.
void check_folder(const StudyOptions& options);

// Removes the scores of all cells whose files end like this: ".test.json".
void remove_scores(const StudyFolder& folder, std::string_view ending);

// What this and earlier commands have studied in the folder: its kinds, and the most seeds.
StudyOptions with_earlier_studies(const StudyOptions& options);

// study.json: what was asked for, on which data and machine, the commands of each cell, and what
// became of it. `options` are those with the earlier studies.
void write_manifest(const StudyOptions& options, const std::vector<CellReport>& reports);

// The dev sentences whose energy is counted, and those of the case study.
void write_texts(const StudyOptions& options);

// The data set that all cells share, so that their pieces are the same. Throws an Error with the
// last line that the command printed if it fails.
void prepare_data(const StudyOptions& options);

}  // namespace eatt::study
