#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "training/options/training_options.h"

namespace eatt {

// Whether a run that has begun may go on with another value.
enum class OnResume {
  fixed,  // Other weights would come out: refused.
  free,   // Only the course of the run changes: how long, how often, what is kept.
};

// One key of recipes, which is also the flag --NAME: the single list behind the command line,
// recipes, --dump-config and the check on resuming.
struct TrainingOption {
  std::string_view name;
  std::string_view group;
  std::string_view value;  // How the value is shown in help: "N", "pre|post"; empty for a switch.
  std::string_view help;
  OnResume on_resume = OnResume::fixed;
  bool quoted = false;  // A string in TOML.

  // Throws a UsageError that names the option and what it expects.
  std::function<void(TrainingOptions&, const std::string&)> set;
  std::function<std::string(const TrainingOptions&)> get;
};

std::span<const TrainingOption> training_option_table();

// Null if there is none of that name.
const TrainingOption* find_training_option(std::string_view name);

// "2000u", "3e"; "0u" is never. A bare number means updates. Throws a UsageError naming `option`.
Extent parse_extent(std::string_view text, std::string_view option);
std::string print_extent(Extent extent);

}  // namespace eatt
