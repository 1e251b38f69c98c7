#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/energy/foreign_command.h"
#include "energy/meter/power_meter.h"

namespace eatt::cli {

// One run of the command.
struct MeasuredRun {
  int exit_code = 0;
  std::optional<Signal> stopped_by;
  double seconds = 0;
  energy::EnergyResult energy;

  // It succeeded, and nobody stopped it.
  bool whole() const { return exit_code == 0 && !stopped_by; }
};

// What `eatt energy measure` found.
struct MeasureReport {
  std::vector<std::string> command;
  int wanted_runs = 1;
  std::vector<MeasuredRun> runs;             // At least one; a run that is not whole is the last.
  std::optional<Signal> stopped_by;          // Between two runs.
  std::optional<energy::EnergyResult> idle;  // Of the machine before the first run.
};

// A mean over all runs; of several, over those that are whole, if any is. Energy is unavailable if
// it was in any of these runs, or while idling. Ends with a newline.
std::string measure_text(const MeasureReport& report);
std::string measure_json(const MeasureReport& report);

}  // namespace eatt::cli
