#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace eatt::study {

// What the terminal shows while a study runs: a row for each cell that is being trained or scored,
// and one that sums up.
//   eatt-s1      train   43%   dev 2.0310   12 min 20 s left
//   l1-s1        energy
//   3 of 12 cells done, 1 failed, about 1 h 20 min left
std::string live_table(const std::vector<CellReport>& reports, int jobs);

// Until all cells are done, as if those that wait took as long as those that run now; nothing if no
// training has said yet how long it takes.
std::optional<double> seconds_left(const std::vector<CellReport>& reports, int jobs);

}  // namespace eatt::study
