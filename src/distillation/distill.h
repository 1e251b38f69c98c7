#pragma once

#include <filesystem>

#include "distillation/distill_folder.h"
#include "distillation/distill_plan.h"

namespace eatt {

struct DistillResult {
  std::filesystem::path source;  // Parallel text, for `eatt train --train-sets`.
  std::filesystem::path target;
  DistillState state;
  bool was_complete = false;  // By an earlier run of the same command: nothing was done.
};

// Replaces the target side of parallel text by what the teachers say (sequence-level distillation).
// Goes on where a run with the same options stopped, to the same bytes. After SIGTERM or Ctrl-C it
// saves and throws an Error.
DistillResult distill_text(const DistillOptions& options);

}  // namespace eatt
