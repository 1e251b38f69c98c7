#pragma once

#include <string>

#include "cli/distill/distill_options.h"
#include "text/corpus/preparation_plan.h"

namespace eatt::cli {

// What the two sides of the distilled text are called: "train.zh" and "train.en".
struct SideNames {
  std::string source;
  std::string target;
};

// After the languages of the teacher, where it knows them, else after the endings of the text files
// (that of gzip aside), else "train.source" and "train.target".
SideNames name_sides(const DistillOptions& options);

// Everything that the distilled text depends on; SHA-256 stands for text, teachers and shortlist,
// wherever they lie. Threads and batches change nothing and are not in it.
PreparationPlan make_distill_plan(const DistillOptions& options, const SideNames& names);

}  // namespace eatt::cli
