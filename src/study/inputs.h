#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "study/study.h"

// What a study was made from, and whether another command may go on with it.
namespace eatt::study {

// The manifest of an earlier command in this folder; an empty object if there is none.
nlohmann::ordered_json earlier_manifest(const StudyOptions& options);

// SHA-256 of a file; one of the same path, size and time as before is not read again.
std::string digest_of_file(const std::filesystem::path& file);

// Recipe, options, search, texts with their checksums, and all settings of the trainings, as the
// manifest has them. Test sets and sentences of an earlier command stay, because their scores do.
nlohmann::ordered_json inputs_of(const StudyOptions& options);

// Throws an Error if the folder has cells that were trained on other text, with another recipe or
// with other options, so that they could not be compared; or if it holds files that no study made.
// Files are compared by their content. Scores of another test set or search are removed.
void check_folder(const StudyOptions& options);

// If no test set is given, that of an earlier command, as long as its files are still there.
void take_earlier_test_sets(StudyOptions& options);

// Removes the scores of all cells whose files end like this: ".test.json".
void remove_scores(const StudyFolder& folder, std::string_view ending);

}  // namespace eatt::study
