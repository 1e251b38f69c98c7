// Hints for messages about a path that was given as a bundle but is not one: what it seems to be,
// and what to type instead.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace eatt {

// What a folder without config.json is, if that is known, for the end of a message:
//   "is a training run, not a model; use runs/eatt/best"
std::optional<std::string> explain_folder(const std::filesystem::path& folder);

// What to say about a file that belongs to a bundle: "is a file of a model; use runs/eatt/best"
std::optional<std::string> explain_file(const std::filesystem::path& file);

// The bundles nearest to a path that does not exist: "runs/eatt has best and last"
std::optional<std::string> bundles_near(const std::filesystem::path& missing);

}  // namespace eatt
