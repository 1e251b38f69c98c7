#include "energy/closed_forms.h"

#include "base/error.h"

namespace eatt::energy {
namespace {

// The kinds of work that attention is made of. A mechanism is a choice among them for each duty;
// what a kind costs is said once, in forms_of() below.
enum class Step {
  none,
  projection,     // [l, d]·[d, k], or back to d
  row_selection,  // the rows of a [d, k] matrix where a binary code is one, summed: [l, k]
  dot_products,   // [l, k]·[k, l] or [l, l]·[l, k]
  l1_distances,   // Σ|a − b| over k elements, for l² pairs
  feed_forward,   // [l, d]·[d, 4d], then [l, 4d]·[4d, d]
};

struct AlignmentWork {
  Step query;
  Step key;
  Step scores;
};

AlignmentWork alignment_work(Mechanism mechanism) {
  using enum Step;
  switch (mechanism) {
    case Mechanism::vanilla:
      return {projection, projection, dot_products};
    case Mechanism::dense:  // relu(X·W1), then W2 gives a score for each of l positions.
      return {projection, none, dot_products};
    case Mechanism::randinit:  // The scores are trained numbers.
      return {none, none, none};
    case Mechanism::eatt:
      return {row_selection, row_selection, l1_distances};
    case Mechanism::selection:
      return {row_selection, row_selection, dot_products};
    case Mechanism::l1:
      return {projection, projection, l1_distances};
  }
  throw InternalError("a mechanism without an alignment");
}

Step step_of(Mechanism mechanism, Duty duty) {
  switch (duty) {
    case Duty::query:
      return alignment_work(mechanism).query;
    case Duty::key:
      return alignment_work(mechanism).key;
    case Duty::scores:
      return alignment_work(mechanism).scores;
    case Duty::value:
    case Duty::output:
      return Step::projection;
    case Duty::context:
      return Step::dot_products;
    case Duty::ffn:
      return Step::feed_forward;
    default:
      break;
  }
  throw InternalError("a duty without a closed form");
}

// A product needs as many additions as multiplications: each sum starts from zero or a bias.
OperationForms product(const Form& form) { return {.additions = form, .multiplications = form}; }
OperationForms additions_only(const Form& form) { return {form, {}}; }

// The paper charges a selection one addition per element of its result, whatever the number of
// rows that were summed into it.
OperationForms row_selection(Duty duty, Accounting accounting) {
  if (accounting == Accounting::paper) return additions_only({.lk = 1});
  return additions_only(duty == Duty::query ? Form{.query_ldk = 1} : Form{.key_ldk = 1});
}

// |a − b| summed up: a subtraction and an addition. The paper counts one of them.
OperationForms l1_distances(Accounting accounting) {
  return additions_only({.llk = accounting == Accounting::paper ? 1u : 2u});
}

}  // namespace

OperationForms& OperationForms::operator+=(const OperationForms& other) {
  additions += other.additions;
  multiplications += other.multiplications;
  return *this;
}

OperationForms forms_of(Mechanism mechanism, Duty duty, Accounting accounting) {
  switch (step_of(mechanism, duty)) {
    case Step::none:
      return {};
    case Step::projection:
      return product({.ldk = 1});
    case Step::row_selection:
      return row_selection(duty, accounting);
    case Step::dot_products:
      return product({.llk = 1});
    case Step::l1_distances:
      return l1_distances(accounting);
    case Step::feed_forward:
      return product({.ldd = 8});
  }
  throw InternalError("work without a price");
}

OperationForms forms_of(Mechanism mechanism, Level level, Accounting accounting) {
  OperationForms sum;
  for (const Duty duty : kBlockDuties) {
    if (level_of(duty) <= level) sum += forms_of(mechanism, duty, accounting);
  }
  return sum;
}

bool is_whole(const OperationForms& forms) {
  return is_whole(forms.additions) && is_whole(forms.multiplications);
}

OperationCount count(const OperationForms& forms, const Shape& shape) {
  return {whole_value(forms.additions, shape), whole_value(forms.multiplications, shape)};
}

ExpectedOperations expect(const OperationForms& forms, const Shape& shape, const Density& density) {
  return {expected_value(forms.additions, shape, density),
          expected_value(forms.multiplications, shape, density)};
}

double picojoules(const Setting& setting, const Chip& chip) {
  const OperationForms forms = forms_of(setting.mechanism, setting.level, setting.accounting);
  return picojoules(chip, expect(forms, setting.shape, setting.density));
}

double percent_of_vanilla(const Setting& setting, const Chip& chip, const Shape& baseline) {
  Setting vanilla = setting;
  vanilla.mechanism = Mechanism::vanilla;
  vanilla.shape = baseline;
  return 100 * picojoules(setting, chip) / picojoules(vanilla, chip);
}

double percent_of_vanilla(const Setting& setting, const Chip& chip) {
  return percent_of_vanilla(setting, chip, setting.shape.with_full_attention_width());
}

}  // namespace eatt::energy
