#include "energy/paper_operations.h"

#include "energy/closed_forms.h"

namespace eatt::energy {
namespace {

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

OperationCount paper_operations(const Architecture& architecture, const Activity& activity,
                                Level level) {
  OperationCount sum;
  for (const Role role : kRoles) {
    const Lengths lengths = lengths_of(role, activity);
    for (const Mechanism mechanism : architecture.attention(role).layers) {
      for (const Duty duty : kBlockDuties) {
        // A decoder layer has one feed-forward sub-layer behind its two attentions.
        if (level_of(duty) > level || (duty == Duty::ffn && role == Role::decoder_self)) continue;
        sum += scaled(single(architecture, mechanism, duty), times(duty, lengths));
      }
    }
  }
  return sum;
}

}  // namespace eatt::energy
