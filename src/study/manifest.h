#pragma once

#include <vector>

#include "study/study.h"

// What a study's folder says about how it was made, and the work before its first cell.
namespace eatt::study {

// Throws an Error if the folder belongs to a study of other data or another recipe: their cells
// could not be compared. A folder without a manifest must be empty, or is refused.
void check_manifest(const StudyOptions& options);

// study.json: what was asked for, on which data and machine, the commands of each cell, and what
// became of it.
void write_manifest(const StudyOptions& options, const std::vector<CellReport>& reports);

// The data set that all cells share, so that their pieces are the same. Throws an Error with the
// last line that the command printed if it fails.
void prepare_data(const StudyOptions& options);

}  // namespace eatt::study
