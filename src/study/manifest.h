#pragma once

#include <vector>

#include "study/study.h"

// What a study's folder says about how it was made, and the work before its first cell.
namespace eatt::study {

// What this and earlier commands have studied in the folder: its kinds, and the most seeds.
StudyOptions with_earlier_studies(const StudyOptions& options);

// The cells of all studies in the folder, those of `reports` and of earlier commands.
std::vector<CellReport> with_earlier_cells(const StudyOptions& all,
                                           const std::vector<CellReport>& reports);

// study.json: what was asked for, on which data and machine, the commands of each cell, and what
// became of it. `options` are those with the earlier studies.
void write_manifest(const StudyOptions& options, const std::vector<CellReport>& reports);

// The dev sentences whose energy is counted, and those of the case study.
void write_texts(const StudyOptions& options);

// Throws a UsageError if one of the cells takes none of the options that all get.
void check_cells(const StudyOptions& options, const std::vector<Cell>& cells);

// The data set that all cells share, so that their pieces are the same. Throws an Error with the
// last line that the command printed if it fails.
void prepare_data(const StudyOptions& options);

// Throws a UsageError if a dev or test sentence is longer than the attention of a cell can read.
void check_lengths(const StudyOptions& options, const std::vector<Cell>& cells);

}  // namespace eatt::study
