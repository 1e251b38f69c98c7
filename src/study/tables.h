#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "study/scores.h"

namespace eatt::study {

// A table of results, ours beside the paper's.
struct ResultTable {
  std::string name;   // "hybrid": in file names and JSON.
  std::string title;  // "BLEU by mechanism of self- and cross-attention"
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // Empty text where something is not known.
  std::string note;                            // A paragraph under it.
};

// The tables of the studies that were asked for. Cells that are not done leave gaps.
std::vector<ResultTable> result_tables(const StudyOptions& options,
                                       const std::vector<CellReport>& reports,
                                       const std::vector<CellScores>& scores);

// `heading` stands before each title: "##".
std::string markdown_of(const std::vector<ResultTable>& tables, std::string_view heading = "##");
std::string csv_of(const std::vector<ResultTable>& tables);
// {"tables": …, "cells": …}: the cells with all their numbers, in full precision.
std::string json_of(const std::vector<ResultTable>& tables, const std::vector<CellScores>& scores);

// What a results.json holds. Throws an Error if it is damaged.
struct Results {
  std::vector<ResultTable> tables;
  std::vector<CellScores> scores;
};
Results read_results(const std::filesystem::path& file);

// Writes results.md, results.json and results.csv into the study's folder.
std::vector<ResultTable> write_results(const StudyOptions& options,
                                       const std::vector<CellReport>& reports);

}  // namespace eatt::study
