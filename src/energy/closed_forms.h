#pragma once

#include "bundle/architecture.h"
#include "energy/activity.h"
#include "energy/chip.h"
#include "energy/form.h"
#include "energy/kinds.h"
#include "energy/shape.h"

namespace eatt::energy {

// How many additions and multiplications something takes, for any shape.
struct OperationForms {
  Form additions;
  Form multiplications;

  OperationForms& operator+=(const OperationForms& other);
  friend bool operator==(const OperationForms&, const OperationForms&) = default;
};

// One step of a mechanism. Left out in both accountings, as in the paper: biases, scaling, masks,
// softmax and other activations, layer norms, residuals.
OperationForms forms_of(Mechanism mechanism, Duty duty, Accounting accounting,
                        size_t code_levels = 0);

// All steps up to a level.
OperationForms forms_of(Mechanism mechanism, Level level, Accounting accounting);

bool is_integer(const OperationForms& forms);
OperationCount count(const OperationForms& forms, const Shape& shape);  // Needs integer forms.
ExpectedOperations expect(const OperationForms& forms, const Shape& shape, const Density& density);

// One cell of a table: mechanism, level, counting rules, size and density.
struct Setting {
  Mechanism mechanism = kReferenceMechanism;
  Level level = Level::alignment;
  Accounting accounting = Accounting::paper;
  Shape shape;
  Density density = {};  // Matters only to forms that depend on density.
};

double picojoules(const Setting& setting, const Chip& chip);

// 100 is vanilla at the same level, in the same accounting, at shape `baseline`.
double percent_of_vanilla(const Setting& setting, const Chip& chip, const Shape& baseline);

// The usual baseline: the same length and width with k = d.
double percent_of_vanilla(const Setting& setting, const Chip& chip);

// What the paper's closed forms give for a model on a text, up to a level: every layer's attention
// at the lengths of each sentence and its best translation, as if it were computed once for the
// whole sentence (no beam, no cache, nothing masked). In cross-attention queries have the target's
// length, keys and values the source's. The feed-forward layer is counted with the model's own
// width, once per layer.
OperationCount paper_operations(const Architecture& architecture, const Activity& activity,
                                Level level);

}  // namespace eatt::energy
