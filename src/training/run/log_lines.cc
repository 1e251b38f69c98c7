#include "training/run/log_lines.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/threads.h"
#include "bundle/expected_tensors.h"
#include "text/corpus/languages.h"

namespace eatt {
namespace {

using nlohmann::json;

std::string count_text(int64_t count) { return format_count(static_cast<uint64_t>(count)); }

std::string_view name_of(ValidMetric metric) {
  return kValidMetricNames[static_cast<size_t>(metric)];
}

}  // namespace

json announce_training(const TrainingOptions& options, const TrainingInputs& inputs, uint64_t pairs,
                       int workers) {
  if (options.source_language != kUnknownLanguage) {
    spdlog::info("training to translate from {} to {}", options.source_language,
                 options.target_language);
  }
  const std::string threads = format_count(static_cast<uint64_t>(thread_count()), "thread");
  spdlog::info("{}, {}, {}", format_count(parameter_count(inputs.architecture), "parameter"),
               format_count(pairs, "pair"),
               workers == 1 ? threads : fmt::format("{} workers with {} each", workers, threads));
  if (inputs.data.has_links() && options.guided_alignment_weight > 0) {
    const auto layer = options.guided_alignment_layer;
    spdlog::info("the attention of decoder layer {} is guided by {} between pieces",
                 layer == 0 ? static_cast<int64_t>(inputs.architecture.decoder_layers()) : layer,
                 format_count(*inputs.data.info().links, "link"));
  }
  return {{"event", "started"},
          {"parameters", parameter_count(inputs.architecture)},
          {"pairs", pairs},
          {"workers", workers},
          {"threads", thread_count()}};
}

ProgressReport::Line validation_line(const TrainingState& state, const ValidationScores& scores,
                                     bool better) {
  std::string text = fmt::format("validation at update {}: cross-entropy {:.4f} ppl {:.3f}",
                                 count_text(state.update), scores.cross_entropy, scores.perplexity);
  if (scores.bleu) text += fmt::format(" BLEU {:.2f} chrF {:.2f}", *scores.bleu, *scores.chrf);
  if (scores.densities.any()) text += fmt::format(" density {:.3f}", scores.densities.mean());
  if (better) {
    text += " (best)";
  } else if (state.best_score) {
    text += fmt::format(" (best was {:.4g} at update {})", *state.best_score,
                        count_text(state.best_update));
  }
  json event = to_json(scores);
  event.update({{"event", "validation"},
                {"update", state.update},
                {"epochs_done", state.epoch},
                {"best", better},
                {"seconds", state.seconds},
                {"took", scores.seconds}});
  return {text, event};
}

std::string early_stop_text(const TrainingState& state, const TrainingOptions& options) {
  return fmt::format("stopping early: {} without a better {} (--early-stopping {})",
                     format_count(static_cast<uint64_t>(state.stalled), "validation"),
                     name_of(options.valid_metric), options.early_stopping);
}

ProgressReport::Line finished_line(const TrainingState& state, ValidMetric metric, double epochs) {
  std::string text = fmt::format("finished: {}, {:.1f} epochs, {} of training",
                                 format_count(static_cast<uint64_t>(state.update), "update"),
                                 epochs, format_duration(state.seconds));
  json event = {{"event", "finished"}, {"update", state.update}, {"seconds", state.seconds}};
  if (state.best_score) {
    event["best_score"] = *state.best_score;
    text += fmt::format("; best {} {:.4g} at update {}", name_of(metric), *state.best_score,
                        count_text(state.best_update));
  }
  return {text, event};
}

}  // namespace eatt
