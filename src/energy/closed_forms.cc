#include "energy/closed_forms.h"

#include <bit>

#include "base/error.h"

namespace eatt::energy {
namespace {

// The kinds of work in attention. The traits of a mechanism choose one for each duty; forms_of()
// below has the cost of each.
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
  if (!has_queries(mechanism)) return {none, none, none};  // The scores are trained numbers.
  const Step scores = scores_by_distance(mechanism) ? l1_distances : dot_products;
  if (binarises(mechanism)) return {row_selection, row_selection, scores};
  // Without keys, trained weights score each of l positions.
  return {projection, has_queries_and_keys(mechanism) ? projection : none, scores};
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
// Exactly, each one of a code adds a row, and the sums of signed codes of several digits are
// doubled after each digit but the last.
OperationForms row_selection(Duty duty, Accounting accounting, size_t code_levels) {
  if (accounting == Accounting::paper) return additions_only({.lk = 1});
  Form form = duty == Duty::query ? Form{.query_ldk = 1} : Form{.key_ldk = 1};
  if (code_levels > 1) form.lk = static_cast<uint64_t>(std::bit_width(code_levels)) - 1;
  return additions_only(form);
}

// A sum of |a − b|: a subtraction and an addition each. The paper counts one of them.
OperationForms l1_distances(Accounting accounting) {
  return additions_only({.llk = accounting == Accounting::paper ? 1u : 2u});
}

// Positions of one kind of attention, over all sentences.
struct Lengths {
  uint64_t query = 0;
  uint64_t key = 0;
  uint64_t pairs = 0;
};

Lengths lengths_of(Role role, const Activity& activity) {
  const SearchActivity& search = activity.search;
  switch (role) {
    case Role::encoder_self:
      return {activity.source_rows, activity.source_rows, activity.source_pairs};
    case Role::decoder_self:
      return {search.best_rows, search.best_rows, search.best_pairs};
    case Role::cross:
      break;
  }
  return {search.best_rows, activity.source_rows, search.best_cross_pairs};
}

// A duty's form is linear in its positions or its pairs, so its value at length 1 is that of each.
uint64_t times(Duty duty, const Lengths& lengths) {
  switch (duty) {
    case Duty::key:
    case Duty::value:
      return lengths.key;
    case Duty::scores:
    case Duty::context:
      return lengths.pairs;
    default:
      return lengths.query;
  }
}

OperationCount& operator+=(OperationCount& to, const OperationCount& other) {
  to.additions += other.additions;
  to.multiplications += other.multiplications;
  return to;
}

OperationCount scaled(const OperationCount& count, uint64_t factor) {
  return {count.additions * factor, count.multiplications * factor};
}

// Of one position or pair.
OperationCount single(const Architecture& a, Mechanism mechanism, Duty duty) {
  if (duty == Duty::ffn) {
    const size_t both = 2 * a.model_dim * a.ffn_dim;
    return {both, both};
  }
  const size_t width = level_of(duty) == Level::alignment ? a.qk_dim : a.attention_dim;
  return count(forms_of(mechanism, duty, Accounting::paper), Shape(1, a.model_dim, width));
}

}  // namespace

OperationForms& OperationForms::operator+=(const OperationForms& other) {
  additions += other.additions;
  multiplications += other.multiplications;
  return *this;
}

OperationForms forms_of(Mechanism mechanism, Duty duty, Accounting accounting, size_t code_levels) {
  switch (step_of(mechanism, duty)) {
    case Step::none:
      return {};
    case Step::projection:
      return product({.ldk = 1});
    case Step::row_selection:
      return row_selection(duty, accounting, code_levels);
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

bool is_integer(const OperationForms& forms) {
  return is_integer(forms.additions) && is_integer(forms.multiplications);
}

OperationCount count(const OperationForms& forms, const Shape& shape) {
  return {integer_value(forms.additions, shape), integer_value(forms.multiplications, shape)};
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
  vanilla.mechanism = kReferenceMechanism;
  vanilla.shape = baseline;
  return 100 * picojoules(setting, chip) / picojoules(vanilla, chip);
}

double percent_of_vanilla(const Setting& setting, const Chip& chip) {
  return percent_of_vanilla(setting, chip, setting.shape.with_full_attention_width());
}

OperationCount paper_operations(const Architecture& architecture, const Activity& activity,
                                Level level) {
  OperationCount sum;
  for (const Role role : kRoles) {
    const Lengths lengths = lengths_of(role, activity);
    for (const Mechanism mechanism : architecture.attention(role).layers) {
      for (const Duty duty : kBlockDuties) {
        // A decoder layer has one feed-forward sub-layer after its two attentions.
        if (level_of(duty) > level || (duty == Duty::ffn && role == Role::decoder_self)) continue;
        sum += scaled(single(architecture, mechanism, duty), times(duty, lengths));
      }
    }
  }
  return sum;
}

}  // namespace eatt::energy
