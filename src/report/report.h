#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/document.h"

namespace eatt::report {

// Reads folders of studies, of training runs, and of alignments.json alone, and puts together what
// they show. Several runs stand side by side; several studies follow each other. Throws an Error if
// a folder is none of these or a file in it is damaged.
Document make_report(const std::vector<std::filesystem::path>& folders, const std::string& made_by);

}  // namespace eatt::report
