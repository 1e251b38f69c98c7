#pragma once

#include "bundle/architecture.h"
#include "energy/activity.h"
#include "energy/ledger.h"
#include "energy/step_work.h"

namespace eatt::energy {

// The operations of the activity in a model of this architecture and precision, by the rules of
// docs/operation-counts.md. The model need not be the one that ran: with another mechanism or
// precision, the result is what it would have taken on the same text. Throws a UsageError if a
// layer binarizes and the activity has no codes for it.
Ledger count_operations(const Architecture& architecture, Precision precision,
                        const Activity& activity, DotScores dot_scores = DotScores::floating);

// The bytes that the model and the activity need at the same time, by kind of data.
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
