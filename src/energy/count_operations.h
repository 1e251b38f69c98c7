#pragma once

#include "bundle/architecture.h"
#include "energy/activity.h"
#include "energy/ledger.h"
#include "energy/step_work.h"

namespace eatt::energy {

// What the activity took in a model of this architecture and precision, by the rules of
// docs/operation-counts.md. The model need not be the one that was active: another mechanism or
// precision on the same text tells what it would have taken. Layers of the architecture that
// binarise need the codes of the activity: a UsageError if it has none for them.
Ledger count_operations(const Architecture& architecture, Precision precision,
                        const Activity& activity, DotScores dot_scores = DotScores::floating);

// Bytes that the model and the activity need at the same time, by kind of data.
struct Footprint {
  uint64_t weights = 0;
  uint64_t activations = 0;  // Inputs and results of the largest step.
  uint64_t caches = 0;

  uint64_t of(Data data) const {
    return data == Data::weights ? weights : data == Data::activations ? activations : caches;
  }
  friend bool operator==(const Footprint&, const Footprint&) = default;
};
Footprint footprint(const Architecture& architecture, Precision precision, const Activity& activity,
                    DotScores dot_scores = DotScores::floating);

}  // namespace eatt::energy
