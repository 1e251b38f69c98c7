#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>

#include "study/study.h"

// What a run of `eatt train` says about itself.
namespace eatt::study {

// The last event of its log.
struct RunEnd {
  bool finished = false;
  uint64_t updates = 0;
  double seconds = 0;  // Of training, also before it was stopped and continued.
};
RunEnd end_of(const std::filesystem::path& run);

// Lines of `name = value  # help`, as training.toml and `eatt-train train --dump-config` have them;
// values without their quotes.
Settings read_settings(std::istream& lines);

// The first setting, by name, that both have with different values and that makes another model;
// empty if there is none. What a training reports and keeps makes none.
std::string first_difference(const Settings& ours, const Settings& theirs);
// A setting's value for a message: "0.25", "''".
std::string shown_setting(const std::string& value);

// Why a run that has finished is not that of the cell: "cells/eatt-s1 was trained with --after 3u,
// not 6u; …". Empty if it is.
std::string difference_of_run(const Cell& cell, const StudyOptions& options);

}  // namespace eatt::study
