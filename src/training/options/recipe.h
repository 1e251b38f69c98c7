#pragma once

#include <span>
#include <string>
#include <string_view>

#include "training/options/training_options.h"

namespace eatt {

// A recipe that is part of the program.
struct BuiltInRecipe {
  std::string_view name;
  std::string_view text;  // TOML.
};
std::span<const BuiltInRecipe> built_in_recipes();

// Sets the options that a recipe (TOML) names and leaves the others. Throws a UsageError that names
// `file`, line and key for an unknown key or a value of the wrong type.
void apply_recipe(std::string_view toml, const std::string& file, TrainingOptions& options);

// The recipe of a built-in name or of a file. Throws a UsageError that lists the names.
void apply_recipe_named(const std::string& name_or_file, TrainingOptions& options);

// All options as a recipe, with a comment on each.
std::string print_recipe(const TrainingOptions& options);

}  // namespace eatt
