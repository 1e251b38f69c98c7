#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/data/data_set_format.h"

namespace eatt {

// Batches as numbers of pairs.
using PairBatches = std::vector<std::vector<uint64_t>>;

// What worker `rank` of `workers` computes of the batches of an update. The batches, laid end to
// end, are cut where the pieces to compute, padding included, are shared evenly. A cut that comes
// close to the end of a batch moves there: a pass over a few sentences would cost more than it
// evens out. Each pair is in exactly one share; a share is empty only if there are fewer pairs than
// workers. A worker alone gets everything as it is.
//   lengths: of all pairs of the data set
PairBatches share_of(const PairBatches& batches, std::span<const PairLength> lengths, size_t rank,
                     size_t workers);

// Pieces to predict in these batches, end markers included.
int64_t target_words(const PairBatches& batches, std::span<const PairLength> lengths);

}  // namespace eatt
