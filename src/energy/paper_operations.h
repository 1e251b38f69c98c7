#pragma once

#include "bundle/architecture.h"
#include "energy/activity.h"
#include "energy/kinds.h"
#include "energy/operation_count.h"

namespace eatt::energy {

// What the paper's closed forms give for a model on a text, up to a level: every layer's attention
// at the lengths of each sentence and its best translation, as if it were computed once for the
// whole sentence (no beam, no cache, nothing masked). In cross-attention queries have the target's
// length, keys and values the source's. The feed-forward layer is counted with the model's own
// width, once per layer.
OperationCount paper_operations(const Architecture& architecture, const Activity& activity,
                                Level level);

}  // namespace eatt::energy
