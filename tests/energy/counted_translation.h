#pragma once

#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "energy/counted_search.h"
#include "energy/ledger.h"
#include "energy/recorded_run.h"

namespace eatt::energy::testing {

struct CountedTranslation {
  Ledger ledger;
  std::vector<std::vector<CountedHypothesis>> results;  // By task.
  float largest_difference = 0;                         // Between our logits and those of the run.
};

// Does all that a recorded run of a float32 bundle did, in the precision of the run, with counted
// numbers. The search is given the logits of the run, so that it decides the same; an InternalError
// if it does not, or if codes differ by more than rounding.
CountedTranslation counted_translation(const Bundle& bundle, Precision precision, RecordedRun run);

// One line for each number in which the two are not the same: "decoder layer 2, cross-attention,
// scores: add fp32: counted 12, claimed 13".
std::string differences(const Ledger& counted, const Ledger& claimed);

}  // namespace eatt::energy::testing
