#pragma once

#include <string>
#include <vector>

namespace eatt::cli {

// A text to translate and where its translation goes.
struct TranslationFile {
  std::string input;   // "-" is standard input.
  std::string output;  // Empty: standard output.
};

struct TranslationPlan {
  std::vector<TranslationFile> files;
  std::string folder;  // Where they go, if a folder was asked for; else empty.
};

// What `-i A B ... -o OUTPUT` means. Several inputs go into the folder OUTPUT, each under its own
// name; one input goes to OUTPUT, or into it where that is a folder or ends in "/". Throws a
// UsageError where the inputs and the output do not fit together, and an Error if one of several
// inputs cannot be read, or if a file in the folder would be replaced and is not to be
// overwritten: better now than after hours spent on the others.
TranslationPlan plan_translation(const std::vector<std::string>& inputs, const std::string& output,
                                 bool overwrite);

// Makes the folder of the plan, if it has one.
void create_output_folder(const TranslationPlan& plan);

}  // namespace eatt::cli
