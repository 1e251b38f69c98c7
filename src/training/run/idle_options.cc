#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/options.h"
#include "bundle/architecture.h"
#include "bundle/mechanisms.h"
#include "training/run/trainer.h"

namespace eatt {
namespace {

// Options that have no effect on a training, and why: "without --teacher".
struct IdleOptions {
  bool applies = false;
  std::vector<std::string_view> names;
  std::string why;
};

bool uses_codes(const TrainingPlan& plan) {
  const auto vocab = static_cast<size_t>(plan.options.vocab_size);
  const Architecture a = make_architecture(plan.options, vocab, vocab);
  return std::ranges::any_of(
      kRoles, [&](Role role) { return std::ranges::any_of(a.attention(role).layers, binarises); });
}

// "eatt or selection"
std::string mechanisms_with_codes() {
  std::vector<std::string_view> names;
  for (const Mechanism mechanism : kMechanisms) {
    if (binarises(mechanism)) names.push_back(mechanism_name(mechanism));
  }
  return one_of(names);
}

std::vector<IdleOptions> idle_options(const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  const bool roles_are_set =
      !options.encoder_self.empty() && !options.decoder_self.empty() && !options.cross.empty();
  return {
      {plan.teacher.empty(),
       {"distill-weight", "distill-temperature", "distill-maps"},
       "without --teacher BUNDLE"},
      {!plan.prepared.empty(),
       {"vocab-size", "joint-vocab"},
       "with --prepared, because the data set has its vocabulary already"},
      {!uses_codes(plan),
       {"threshold", "learn-threshold", "code-levels", "surrogate-width", "code-gradient",
        "soft-codes"},
       fmt::format("on this model: only --attention {} uses codes", mechanisms_with_codes())},
      {plan.valid_source.empty(),
       {"valid-freq", "valid-metric", "valid-tokenize", "keep-best"},
       "without --valid-sets SRC TGT"},
      {!needs_translations(options.valid_metric),
       {"valid-tokenize"},
       "with a --valid-metric that needs no translations"},
      {options.lr_schedule != ScheduleKind::paper,
       {"lr-decay-start"},
       "without --lr-schedule paper"},
      {options.rollback_limit == 0, {"rollback-factor"}, "with --rollback-limit 0"},
      {roles_are_set,
       {"attention"},
       "with --encoder-self, --decoder-self and --cross, which set every layer"},
  };
}

}  // namespace

void refuse_idle_options(const TrainingPlan& plan, std::span<const std::string_view> given) {
  for (const IdleOptions& idle : idle_options(plan)) {
    if (!idle.applies) continue;
    for (const std::string_view name : idle.names) {
      if (std::ranges::find(given, name) == given.end()) continue;
      throw UsageError(fmt::format("--{} has no effect {}; leave it out", name, idle.why));
    }
  }
}

}  // namespace eatt
