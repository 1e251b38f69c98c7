#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/options.h"
#include "bundle/architecture.h"
#include "bundle/mechanisms.h"
#include "text/data/data_set_format.h"
#include "training/run/trainer.h"

namespace eatt {
namespace {

// Options that have no effect on a training, and why: "without --teacher".
struct IdleOptions {
  bool applies = false;
  std::vector<std::string_view> names;
  std::string why;
};

bool uses_codes(const TrainingOptions& options) {
  const auto vocab = static_cast<size_t>(options.vocab_size);
  const Architecture a = make_architecture(options, vocab, vocab);
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
  const bool has_codes = uses_codes(options);
  const std::string no_codes =
      fmt::format("on this model: only --attention {} uses codes", mechanisms_with_codes());
  const bool roles_are_set =
      !options.encoder_self.empty() && !options.decoder_self.empty() && !options.cross.empty();
  return {
      {plan.teacher.empty(),
       {"distill-weight", "distill-temperature", "distill-maps"},
       "without --teacher BUNDLE"},
      {!has_alignments(plan),
       {"guided-alignment-weight", "guided-alignment-layer"},
       "without --guided-alignment FILE, or a data set that was prepared with it"},
      {options.guided_alignment_weight == 0,
       {"guided-alignment-layer"},
       "with --guided-alignment-weight 0"},
      {!plan.prepared.empty(),
       {"vocab-size", "joint-vocab"},
       "with --prepared, because the data set has its vocabulary already"},
      {!has_codes,
       {"threshold", "learn-threshold", "code-levels", "surrogate-width", "code-gradient",
        "codes-without-dropout", "code-lr", "soft-codes", "freeze-codes", "code-density",
        "code-density-weight"},
       no_codes},
      {options.dropout == 0, {"codes-without-dropout"}, "with --dropout 0"},
      {options.code_density_weight == 0, {"code-density"}, "without --code-density-weight X"},
      {options.freeze_codes == 1,
       {"code-density-weight", "code-gradient", "surrogate-width"},
       "with --freeze-codes 1, which lets no gradient through the codes"},
      // A model to start from may bring thresholds, or have them fitted to what it reads.
      {options.freeze_codes == 1 && plan.init_from.empty(),
       {"learn-threshold"},
       "with --freeze-codes 1, which lets no gradient through the codes"},
      {options.code_gradient == 0 && !options.learn_threshold,
       {"code-density-weight"},
       "with --code-gradient 0, because its gradient then never reaches the layers below"},
      // Of the presets, `released` changes other things too.
      {!has_codes && options.preset == Preset::best, {"preset"}, no_codes},
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

bool has_alignments(const TrainingPlan& plan) {
  std::error_code ignored;
  return !plan.guided_alignment.empty() ||
         (!plan.prepared.empty() &&
          std::filesystem::exists(plan.prepared / file_name(DataKind::links), ignored));
}

void refuse_idle_options(const TrainingPlan& plan, std::span<const std::string_view> given) {
  for (const IdleOptions& idle : idle_options(plan)) {
    if (!idle.applies) continue;
    for (const std::string_view name : idle.names) {
      if (std::ranges::find(given, name) == given.end()) continue;
      throw UsageError(fmt::format("--{} has no effect {}; leave it out", name, idle.why));
    }
  }
}

std::string schedule_over_after(const TrainingOptions& options, bool has_teacher) {
  if (options.lr_schedule == ScheduleKind::linear) return "--lr-schedule linear";
  if (options.soft_codes > 0 && uses_codes(options)) {
    return fmt::format("--soft-codes {}", options.soft_codes);
  }
  if (options.freeze_codes > 0 && uses_codes(options)) {
    return fmt::format("--freeze-codes {}", options.freeze_codes);
  }
  if (options.distill_maps > 0 && has_teacher) {
    return fmt::format("--distill-maps {}", options.distill_maps);
  }
  return {};
}

}  // namespace eatt
