#include "training/options/recipe.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "training/options/option_table.h"

namespace eatt {
namespace {

// The value as it would be written on the command line.
std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return {};
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string known_names() {
  std::string names;
  for (const BuiltInRecipe& recipe : built_in_recipes()) {
    names += (names.empty() ? "" : ", ") + std::string(recipe.name);
  }
  return names;
}

}  // namespace

void apply_recipe(std::string_view text, const std::string& file, TrainingOptions& options) {
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& problem) {
    throw UsageError(
        fmt::format("{}, line {}: {}", file, problem.source().begin.line, problem.description()));
  }
  for (const auto& [key, node] : table) {
    const auto where = fmt::format("{}, line {}", file, node.source().begin.line);
    const TrainingOption* option = training_option_table().find(key.str());
    if (option == nullptr) {
      throw UsageError(
          fmt::format("{}: '{}' is not a recipe key; `eatt train --dump-config` "
                      "prints all of them",
                      where, key.str()));
    }
    if (node.is_table() || node.is_array() || node.is_string() != option->is_text) {
      throw UsageError(
          fmt::format("{}: {} should be {}", where, key.str(),
                      option->is_text ? "a string in quotes" : "a number or true/false"));
    }
    try {
      option->set(options, text_of(node));
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("{}: {}", where, problem.what()));
    }
  }
}

void apply_recipe_named(const std::string& name, TrainingOptions& options) {
  for (const BuiltInRecipe& recipe : built_in_recipes()) {
    if (recipe.name == name) return apply_recipe(recipe.text, "recipe " + name, options);
  }
  if (!std::filesystem::exists(name)) {
    throw UsageError(fmt::format("--recipe is '{}', which is neither a file nor one of {}", name,
                                 known_names()));
  }
  apply_recipe(read_file(name, 1 << 20), name, options);
}

std::string print_recipe(const TrainingOptions& options) {
  std::string text;
  std::string_view group;
  for (const TrainingOption& option : training_option_table()) {
    if (option.group != group) {
      text += fmt::format("{}# {}\n", group.empty() ? "" : "\n", option.group);
      group = option.group;
    }
    const std::string value = option.get(options);
    const std::string line =
        fmt::format("{} = {}", option.name, option.is_text ? in_quotes(value) : value);
    text += fmt::format("{:<36}  # {}\n", line, option.help);
  }
  return text;
}

}  // namespace eatt
