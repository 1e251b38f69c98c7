#include "training/run/trainer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/stop_signal.h"
#include "base/threads.h"
#include "bundle/expected_tensors.h"
#include "kernels/isa.h"
#include "model/computing.h"
#include "text/corpus/languages.h"
#include "training/options/training_options.h"
#include "training/run/bundles.h"
#include "training/run/run_folder.h"
#include "training/run/training_inputs.h"
#include "training/update/batches.h"

namespace eatt {
namespace {

using nlohmann::json;

Schedule schedule_of(const TrainingOptions& options) {
  return {.kind = options.lr_schedule,
          .peak = options.learn_rate,
          .warmup = options.lr_warmup,
          .decay_start = options.lr_decay_start,
          .last_update = options.after.count};
}

// One training run, from its first or next update to its last.
class Course {
 public:
  Course(const TrainingPlan& plan, const RunFolder& run, const TrainingInputs& inputs)
      : plan_(plan),
        options_(plan.options),
        run_(run),
        inputs_(inputs),
        schedule_(schedule_of(plan.options)),
        log_(run.events(), run.text_log()),
        learner_(inputs.architecture, plan.options, plan.device == "cpu" ? worker_count() : 1,
                 torch::Device(plan.device)),
        stream_(inputs.data, batch_options(plan.options), static_cast<uint64_t>(plan.options.seed),
                plan.options.max_length),
        data_check_(inputs.data) {}

  TrainingEnd run() {
    kernels::check_forced_isa();
    data_check_.wait_at_most(std::chrono::seconds(1));
    begin();
    if (done() && state_.finished) return TrainingEnd::was_finished;
    report_.emplace(state_.update, share_done(), options_.after.epochs ? 0 : options_.after.count);
    const StopSignal stop;
    while (!done()) {
      attempt();
      if (stop.received() != nullptr && !done()) leave(stop.received());
    }
    finish();
    return TrainingEnd::finished;
  }

 private:
  // Resumes from the newest checkpoint, or makes the first one.
  void begin() {
    if (!plan_.teacher.empty()) {
      learner_.set_teacher(
          load_teacher(plan_.teacher, inputs_.source_pieces, inputs_.target_pieces));
    }
    const auto checkpoints = list_checkpoints(run_.checkpoints());
    if (!checkpoints.empty()) {
      restore(checkpoints.back());
      spdlog::info("resuming from update {}, epoch {}", state_.update, state_.epoch + 1);
      log_.event({{"event", "resumed"}, {"update", state_.update}});
      return;
    }
    keep_finished_models();
    if (!plan_.init_from.empty()) {
      start_from_bundle(plan_.init_from, inputs_.source_pieces, inputs_.target_pieces, learner_);
    }
    if (options_.source_language != kUnknownLanguage) {
      spdlog::info("training to translate from {} to {}", options_.source_language,
                   options_.target_language);
    }
    log_.event({{"event", "started"},
                {"parameters", parameter_count(inputs_.architecture)},
                {"pairs", stream_.pairs_in_epoch()},
                {"threads", thread_count()}});
    spdlog::info("{}, {}, {}", format_count(parameter_count(inputs_.architecture), "parameter"),
                 format_count(stream_.pairs_in_epoch(), "pair"),
                 format_count(static_cast<uint64_t>(thread_count()), "thread"));
    save();
  }

  // A new start would replace the models of a run whose checkpoints somebody has removed.
  void keep_finished_models() const {
    for (const auto& model : {run_.best(), run_.last()}) {
      if (!std::filesystem::exists(model)) continue;
      throw Error(fmt::format(
          "{}: has no checkpoints left, so it cannot be continued, and a new start would replace "
          "{}; choose another --model, perhaps with --init-from {}",
          run_.path().string(), model.string(), model.string()));
    }
  }

  void restore(int64_t update) {
    state_ = load_checkpoint(run_.checkpoints(), update, learner_.rows());
    stream_.seek(state_.epoch, state_.position);
    served_epoch_ = state_.epoch;
    validated_update_ = state_.score ? state_.update : -1;
  }

  bool reached_end() const {
    return options_.after.epochs ? static_cast<int64_t>(state_.epoch) >= options_.after.count
                                 : state_.update >= options_.after.count;
  }
  bool stopped_early() const {
    return options_.early_stopping > 0 && state_.stalled >= options_.early_stopping;
  }
  bool done() const { return reached_end() || stopped_early(); }

  double share_done() const {
    const auto count = static_cast<double>(options_.after.count);
    const double behind = options_.after.epochs
                              ? static_cast<double>(stream_.epoch()) + stream_.progress()
                              : static_cast<double>(state_.update);
    return std::min(behind / count, 1.0);
  }

  // Whether something with this interval is due after the update just done.
  bool due(Extent rhythm) const {
    if (rhythm.count == 0) return false;
    if (!rhythm.epochs) return state_.update % rhythm.count == 0;
    const auto count = static_cast<uint64_t>(rhythm.count);
    return state_.epoch / count != served_epoch_ / count;
  }

  // One update, or one that is skipped.
  void attempt() {
    data_check_.rethrow_if_failed();
    if (plan_.before_update) plan_.before_update(learner_, state_.attempts);
    std::vector<std::vector<PiecePair>> batches;
    for (int64_t i = 0; i < options_.optimizer_delay; ++i) {
      batches.push_back(read_pairs(inputs_.data, stream_.next()));
    }
    const double rate = schedule_.rate(state_.update + 1) * state_.rate_factor;
    const bool shown = !options_.disp_freq.epochs && options_.disp_freq.count > 0 &&
                       (state_.update + 1) % options_.disp_freq.count == 0;
    DensityCounter density;
    learner_.set_share_done(share_done());
    const UpdateResult result = learner_.update(
        batches, rate, dropout_seed(options_.seed, state_.attempts), shown ? &density : nullptr);
    ++state_.attempts;
    state_.epoch = stream_.epoch();
    state_.position = stream_.position();
    if (!result.problem.empty()) return skip(result);
    ++state_.update;
    state_.words += result.words;
    state_.skipped_in_a_row = 0;
    state_.score.reset();
    state_.finished = false;
    report_->add(result);
    report_->show_bar(state_.update, share_done());
    after_update(rate, shown ? density.densities() : densities_);
  }

  void after_update(double rate, const Densities& densities) {
    note_time();
    if (due(options_.disp_freq)) {
      auto line = report_->line(state_, rate, share_done(), densities);
      spdlog::info("{}", line.text);
      log_.event(std::move(line.event));
    }
    const bool validating = inputs_.valid && due(options_.valid_freq);
    if (validating) validate();
    if (validating || due(options_.save_freq)) save();
    served_epoch_ = state_.epoch;
  }

  // Seconds of training so far go into the state; earlier processes' are in it already.
  void note_time() {
    const double now = report_->seconds();
    state_.seconds += now - noted_seconds_;
    noted_seconds_ = now;
  }

  void skip(const UpdateResult& result) {
    ++state_.skipped_in_a_row;
    spdlog::warn("update {} skipped: {}", state_.update + 1, result.problem);
    log_.event({{"event", "skipped"}, {"update", state_.update + 1}, {"problem", result.problem}});
    if (state_.skipped_in_a_row < options_.skip_limit) return;
    roll_back(result.problem);
  }

  void roll_back(const std::string& problem) {
    const int64_t rollbacks = state_.rollbacks + 1;
    const double factor = state_.rate_factor * options_.rollback_factor;
    if (rollbacks > options_.rollback_limit) {
      throw Error(
          fmt::format("gave up at update {}: {} updates in a row failed, {} times after returning "
                      "to a checkpoint; the last: {}; try a lower --learn-rate, a longer "
                      "--lr-warmup or a smaller --clip-norm (checkpoints stay in {})",
                      state_.update + 1, options_.skip_limit, options_.rollback_limit, problem,
                      run_.checkpoints().string()));
    }
    auto checkpoints = list_checkpoints(run_.checkpoints());
    // Nothing worked from there the last time: it was saved after the damage was done.
    if (checkpoints.back() == rolled_back_to_ && state_.update == rolled_back_to_ &&
        checkpoints.size() > 1) {
      remove_checkpoint(run_.checkpoints(), checkpoints.back());
      checkpoints.pop_back();
    }
    rolled_back_to_ = checkpoints.back();
    restore(rolled_back_to_);
    state_.rollbacks = rollbacks;
    state_.rate_factor = factor;
    state_.skipped_in_a_row = 0;
    spdlog::warn("returning to update {} with the learning rate times {:.3g}", state_.update,
                 factor);
    log_.event({{"event", "rolled back"}, {"update", state_.update}, {"rate_factor", factor}});
    save();
  }

  void validate() {
    const bool translate = needs_translations(options_.valid_metric);
    learner_.with_kept_weights([&] {
      const ValidationScores scores = inputs_.valid->score(
          learner_.model(), translate, *evaluation::tokenizer_from_name(options_.valid_tokenize));
      note_scores(scores);
      const json results = {{"update", state_.update}, {"dev", to_json(scores)}};
      if (state_.best_update == state_.update) write_bundle_to(run_.best(), results);
      write_bundle_to(run_.last(), results);
      report_->pause(scores.seconds);
    });
    validated_update_ = state_.update;
  }

  void note_scores(const ValidationScores& scores) {
    densities_ = scores.densities;
    const double value = scores.value(options_.valid_metric);
    const bool higher = higher_is_better(options_.valid_metric);
    const bool better =
        std::isfinite(value) &&
        (!state_.best_score || (higher ? value > *state_.best_score : value < *state_.best_score));
    state_.score = value;
    state_.stalled = better ? 0 : state_.stalled + 1;
    if (better) {
      state_.best_score = value;
      state_.best_update = state_.update;
    }
    std::string text = fmt::format("validation at update {}: cross-entropy {:.4f} ppl {:.3f}",
                                   format_count(static_cast<uint64_t>(state_.update)),
                                   scores.cross_entropy, scores.perplexity);
    if (scores.bleu) text += fmt::format(" BLEU {:.2f} chrF {:.2f}", *scores.bleu, *scores.chrf);
    if (scores.densities.any()) text += fmt::format(" density {:.3f}", scores.densities.mean());
    text += better ? " (best)"
            : !state_.best_score
                ? ""
                : fmt::format(" (best was {:.4g} at update {})", *state_.best_score,
                              format_count(static_cast<uint64_t>(state_.best_update)));
    spdlog::info("{}", text);
    json event = to_json(scores);
    event.update({{"event", "validation"},
                  {"update", state_.update},
                  {"epochs_done", state_.epoch},
                  {"best", better},
                  {"seconds", state_.seconds},
                  {"took", scores.seconds}});
    log_.event(std::move(event));
  }

  void write_bundle_to(const std::filesystem::path& path, const json& results) {
    expect_sound_data();
    BundleOrigin origin;
    origin.source_language = options_.source_language;
    origin.target_language = options_.target_language;
    origin.source_piece_model = read_file(inputs_.data.source_pieces_file());
    origin.target_piece_model = read_file(inputs_.data.target_pieces_file());
    origin.training_toml = print_recipe(options_);
    origin.results_json = results.dump(2) + "\n";
    origin.made = {{"program", "eatt-train"},
                   {"command", plan_.command},
                   {"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
    if (inputs_.valid) origin.golden_source = inputs_.valid->sources().front();
    export_bundle(path, inputs_.architecture, weights_of(*learner_.model()), origin,
                  OtherFiles::kept);
  }

  // Nothing learnt from damaged data is ever written: a large data set may still be being checked.
  void expect_sound_data() {
    if (state_.update > 0) data_check_.wait();
  }

  void save() {
    expect_sound_data();
    save_checkpoint(run_.checkpoints(), state_, learner_.rows());
    prune_checkpoints(run_.checkpoints(),
                      {.last = options_.keep_last,
                       .best = options_.keep_best,
                       .higher_is_better = higher_is_better(options_.valid_metric)});
    inputs_.data.release_pages();
  }

  [[noreturn]] void leave(const char* signal) {
    // Checking a large data set can take longer than a process that is told to stop has left.
    const bool checked = data_check_.wait_at_most(std::chrono::seconds(1));
    if (state_.update > 0 && !checked) leave_unsaved(signal);
    save();
    log_.event({{"event", "stopped"}, {"update", state_.update}, {"signal", signal}});
    throw Error(
        fmt::format("stopped by {} after update {}; everything is saved in {}; run the same "
                    "command to continue",
                    signal, state_.update, run_.path().string()));
  }

  [[noreturn]] void leave_unsaved(const char* signal) {
    const int64_t saved = list_checkpoints(run_.checkpoints()).back();
    log_.event({{"event", "stopped"}, {"update", saved}, {"signal", signal}});
    throw Error(
        fmt::format("stopped by {} after update {}, which is not saved, because the data set was "
                    "still being checked; {} has the state after update {}, and the same command "
                    "continues from there",
                    signal, state_.update, run_.path().string(), saved));
  }

  void finish() {
    note_time();
    state_.finished = true;
    const bool has_bundle = std::filesystem::exists(run_.last() / kManifestFile);
    if (inputs_.valid && (validated_update_ != state_.update || !has_bundle)) {
      validate();
    } else if (!inputs_.valid) {
      learner_.with_kept_weights([&] {
        write_bundle_to(run_.last(), {{"update", state_.update}});
      });
    }
    save();
    json event = {{"event", "finished"},
                  {"update", state_.update},
                  {"seconds", state_.seconds},
                  {"early", stopped_early() && !reached_end()}};
    if (state_.best_score) event["best_score"] = *state_.best_score;
    log_.event(std::move(event));
    if (stopped_early() && !reached_end()) {
      spdlog::info("stopping early: {} without a better {} (--early-stopping {})",
                   format_count(static_cast<uint64_t>(state_.stalled), "validation"),
                   kValidMetricNames[static_cast<size_t>(options_.valid_metric)],
                   options_.early_stopping);
    }
    std::string text = fmt::format("finished: {}, {:.1f} epochs, {} of training",
                                   format_count(static_cast<uint64_t>(state_.update), "update"),
                                   static_cast<double>(stream_.epoch()) + stream_.progress(),
                                   format_duration(state_.seconds));
    if (state_.best_score) {
      text +=
          fmt::format("; best {} {:.4g} at update {}",
                      kValidMetricNames[static_cast<size_t>(options_.valid_metric)],
                      *state_.best_score, format_count(static_cast<uint64_t>(state_.best_update)));
    }
    spdlog::info("{}", text);
  }

  const TrainingPlan& plan_;
  const TrainingOptions& options_;
  const RunFolder& run_;
  const TrainingInputs& inputs_;
  Schedule schedule_;
  TrainingLog log_;
  Learner learner_;
  BatchStream stream_;
  DataSetCheck data_check_;
  TrainingState state_;
  std::optional<ProgressReport> report_;
  double noted_seconds_ = 0;
  int64_t validated_update_ = -1;
  int64_t rolled_back_to_ = -1;
  uint64_t served_epoch_ = 0;  // Whose validation, checkpoint and log line are done.
  Densities densities_;        // Of the last validation.
};

}  // namespace

Extent done_so_far(const std::filesystem::path& run, bool in_epochs) {
  const auto folder = run / "checkpoints";
  const auto checkpoints = list_checkpoints(folder);
  if (checkpoints.empty()) return {0, in_epochs};
  const TrainingState state = read_training_state(folder, checkpoints.back());
  return {in_epochs ? static_cast<int64_t>(state.epoch) : state.update, in_epochs};
}

bool has_stopped_early(const std::filesystem::path& run, const TrainingOptions& options) {
  const auto folder = run / "checkpoints";
  const auto checkpoints = list_checkpoints(folder);
  if (options.early_stopping == 0 || checkpoints.empty()) return false;
  const TrainingState state = read_training_state(folder, checkpoints.back());
  const auto& after = options.after;
  const auto done = after.epochs ? static_cast<int64_t>(state.epoch) : state.update;
  return state.stalled >= options.early_stopping && done < after.count;
}

void check_training(const TrainingPlan& plan) {
  with_plain_errors([&] {
    check_options(plan);
    TrainingPlan settled = plan;
    settled.train_sets.clear();  // Only their names are known.
    check_files(settled);
    settled.train_sets = plan.train_sets;
    fill_in_languages(settled);
    check_plan_languages(settled);
    const RunFolder run(plan.run);
    try {
      compare_options(run, settled);
    } catch (...) {
      run.remove_failed_start();
      throw;
    }
    run.remove_failed_start();
  });
}

TrainingEnd run_training(const TrainingPlan& plan) {
  return with_plain_errors([&] {
    check_options(plan);
    check_files(plan);
    TrainingPlan settled = plan;
    fill_in_languages(settled);
    check_plan_languages(settled);
    set_up_computing();
    const RunFolder run(plan.run);
    try {
      const TrainingInputs inputs(settled, run);
      begin_or_resume(run, settled, inputs);
      return Course(settled, run, inputs).run();
    } catch (const Stopped&) {
      throw;  // The same command goes on from there.
    } catch (...) {
      run.remove_failed_start();
      throw;
    }
  });
}

}  // namespace eatt
